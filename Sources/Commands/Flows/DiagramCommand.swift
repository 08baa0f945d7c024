// DIAGRAM: a flow, drawn.

import RESP

extension Command {
    static let diagram: Command = Command(
        name: "DIAGRAM", group: .flows,
        syntax: "DIAGRAM flow [DOT|MERMAID]",
        summary: "A flow's graph, as text for a program that draws.",
        details: """
            The graph is found out by walking the flow in virtual time, trying every event and every timer. DOT is for \
            Graphviz, MERMAID for Markdown.
            """,
        examples: ["DIAGRAM game", "DIAGRAM turns MERMAID"],
        words: 2...3
    ) { call throws(CommandError) in
        let flow = try call.flow()
        let isDot = call.count < 3 || call.arguments[2].isWord("DOT")
        guard isDot || call.arguments[2].isWord("MERMAID") else { throw .syntax(call.command.syntax) }
        do {
            let found = try flow.exploration()
            call.reply.append(verbatim: isDot ? found.dot : found.mermaid)
        } catch {
            throw CommandError("ERR", "the flow cannot be explored: \(error)")
        }
    }
}
