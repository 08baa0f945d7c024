// DIAGRAM: a flow's graph.

import RESP

extension Command {
    static let diagram: Command = Command(
        name: "DIAGRAM", group: .flows,
        syntax: "DIAGRAM flow [DOT|MERMAID]",
        summary: "Draws a flow's graph, as text for Graphviz or Markdown.",
        details: """
            A flow of a file is drawn as the file has it. Any other's graph is found by exploring it in virtual time, with every \
            event and every timer. DOT is for Graphviz, MERMAID for Markdown.
            """,
        examples: ["DIAGRAM game", "DIAGRAM turns MERMAID"],
        words: 2...3
    ) { call throws(CommandError) in
        let flow = try call.flow()
        let isDot = call.count < 3 || call.arguments[2].isWord("DOT")
        guard isDot || call.arguments[2].isWord("MERMAID") else { throw .syntax(call.command.syntax) }
        do {
            let drawn = try flow.graph()
            call.reply.append(verbatim: isDot ? drawn.dot : drawn.mermaid)
        } catch {
            throw CommandError(.generic, "the flow cannot be explored: \(error)")
        }
    }
}
