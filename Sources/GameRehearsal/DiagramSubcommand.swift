// `diagram`: a flow's graph; of a flow file without a daemon.

import GameClient
import GameFlow
import Rehearsal
import ReplyJSON
import Texts

extension Subcommand {
    static let diagram = Subcommand(
        .flows, syntax: "diagram flow [DOT|MERMAID]", summary: "Draws a flow's graph, as text for Graphviz or Markdown.",
        details: """
            A flow of a file is drawn as the file has it. Any other's graph is found by exploring it in virtual time, with every event and \
            every timer. DOT is for Graphviz, MERMAID for Markdown. A word that ends with .json5 or .json, or has a slash in it, is a flow \
            file, for which no daemon is needed.
            """,
        examples: [
            "gamectl diagram game", "gamectl diagram turns MERMAID", "gamectl diagram quiz.json5 | dot -Tsvg > quiz.svg",
        ],
        words: 1...2
    ) { context, call throws(ControlError) in
        try context.draw(call.words[0], call.words.count > 1 ? call.words[1] : "DOT")
        return .accepted
    }
}

extension CommandContext {
    fileprivate func draw(_ flow: String, _ language: String) throws(ControlError) {
        let text =
            FlowFiles.isPath(flow) ? try drawing(ofFile: flow, language) : try daemon.ask(["DIAGRAM", flow, language]).text
        if output.isJSON { try output.say(json: .string(text ?? "")) } else { try output.say((text ?? "").printableLines) }
    }

    private func drawing(ofFile path: String, _ language: String) throws(ControlError) -> String {
        let isDot = language.uppercased() == "DOT"
        guard isDot || language.uppercased() == "MERMAID" else {
            throw .usage(
                "'\(language.shortened)' is neither DOT nor MERMAID; usage: \(subcommands.program) diagram flow [DOT|MERMAID]")
        }
        let file = CheckedFlowFile(path: path)
        guard let kind = file.kind() else { throw .badFlow(file.complaints.joined(separator: "\n")) }
        do {
            let drawn = try kind.graph()
            return isDot ? drawn.dot : drawn.mermaid
        } catch {
            throw .badFlow("\(path.printable): the flow cannot be explored: \(error)")
        }
    }
}
