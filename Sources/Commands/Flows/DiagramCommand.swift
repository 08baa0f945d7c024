// DIAGRAM: a flow's graph.

import RESP

extension Command {
    static let diagram: Command = Command(
        name: "DIAGRAM", group: .flows,
        syntax: "DIAGRAM flow [DOT|MERMAID]",
        summary: "Draws a flow's graph, as text for Graphviz or Markdown.",
        details: """
            The graph is found by exploring the flow in virtual time, with every event and every timer. DOT is for \
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
            throw CommandError(.generic, "the flow cannot be explored: \(error)")
        }
    }
}
