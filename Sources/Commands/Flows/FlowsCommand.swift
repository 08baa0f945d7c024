// FLOWS: the names of the flows.

import Diagrams
import RESP

extension Command {
    package static let flows = Command(
        name: "FLOWS", group: .flows, needs: .reads(.nothing),
        summary: "Lists the names of the flows.",
        examples: ["FLOWS"],
        Form { call in call.host.sessions.flows.map(\.name) })

    static let diagram = Command(
        name: "DIAGRAM", group: .flows, needs: .reads(.nothing),
        summary: "Draws a flow's graph: as text for Graphviz or Markdown, or as a picture.",
        details: """
            A flow from a file is drawn as the file defines it. Any other flow's graph is found by exploring it in virtual \
            time, with every event and every timer. DOT is for Graphviz, MERMAID for Markdown. SVG is a picture: its states \
            and arrows have the ids state-N and edge-N, and its colours are currentColor and classes, for pages that \
            highlight them.
            """,
        examples: ["DIAGRAM game", "DIAGRAM turns MERMAID", "DIAGRAM game SVG"],
        Form(DiagramRequest.self))
}

package struct DiagramRequest: CommandRequest {
    let flow: String
    let language: DiagramLanguage?

    package init(flow: String, language: DiagramLanguage?) { (self.flow, self.language) = (flow, language) }

    package static let form = CommandForm(.required("flow", .text), .optional(choice: DiagramLanguage.self)) {
        DiagramRequest(flow: $0, language: $1)
    }
    package static var command: Command { .diagram }

    package func answer(to call: Call) throws(CommandError) -> CommandAnswer<VerbatimText> {
        let (flow, diagrams) = (try call.host.flow(named: flow), call.host.diagrams)
        return .later(
            PendingValue { answer in
                switch language ?? .dot {
                case .dot: diagrams.text(of: flow, \.dot) { answer($0.map(VerbatimText.init)) }
                case .mermaid: diagrams.text(of: flow, \.mermaid) { answer($0.map(VerbatimText.init)) }
                case .svg: diagrams.svg(of: flow) { answer($0.map(VerbatimText.init)) }
                }
            })
    }
}
