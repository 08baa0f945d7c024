// DIAGRAM: a flow's graph.

import Diagrams
import RESP

extension Command {
    static let diagram: Command = Command(
        name: "DIAGRAM", group: .flows, needs: .reads(.nothing),
        syntax: "DIAGRAM flow [DOT|MERMAID|SVG]",
        summary: "Draws a flow's graph: as text for Graphviz or Markdown, or as a picture.",
        details: """
            A flow of a file is drawn as the file has it. Any other's graph is found by exploring it in virtual time, with every \
            event and every timer. DOT is for Graphviz, MERMAID for Markdown. SVG is a picture, laid out by Graphviz' dot where that is \
            installed: its states and arrows have the ids state-N and edge-N, and its colours are currentColor and classes, for pages \
            that light them.
            """,
        examples: ["DIAGRAM game", "DIAGRAM turns MERMAID", "DIAGRAM game SVG"],
        words: 2...3
    ) { call throws(CommandError) in
        let flow = try call.flow()
        guard let language = call.count < 3 ? .dot : DiagramLanguage(call.text(2)) else { throw .syntax(call.command.syntax) }
        switch language {
        case .dot: call.answerLater { answer in call.host.diagrams.text(of: flow, \.dot, whenDone: answer) }
        case .mermaid: call.answerLater { answer in call.host.diagrams.text(of: flow, \.mermaid, whenDone: answer) }
        case .svg: call.answerLater { answer in call.host.diagrams.svg(of: flow, whenDone: answer) }
        }
    }
}
