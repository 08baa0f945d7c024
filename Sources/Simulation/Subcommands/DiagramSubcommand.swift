// `diagram`: a flow's graph; of a flow file without a daemon.

import Client
import Diagrams
import GameFlow
import RESP
import Statecharts
import Texts

extension Subcommand {
    static let diagram = Subcommand(
        .flows, syntax: "diagram flow [DOT|MERMAID|SVG]",
        summary: "Draws a flow's graph: as text for Graphviz or Markdown, or as a picture.",
        details: """
            A flow from a file is drawn as the file defines it. Any other flow's graph is found by exploring it in virtual \
            time, with every event and every timer. DOT is for Graphviz, MERMAID for Markdown. SVG is a picture. A word that \
            ends with .json5 or .json, or has a slash in it, is a flow file, for which no daemon is needed.
            """,
        examples: [
            "gamectl diagram game", "gamectl diagram turns MERMAID", "gamectl diagram quiz.json5 SVG > quiz.svg",
        ],
        words: 1...2
    ) { context, call throws(ControlError) in
        try context.draw(call.words[0], call.words.count > 1 ? call.words[1] : "DOT")
        return .accepted
    }
}

extension CommandContext {
    fileprivate func draw(_ flow: String, _ language: String) throws(ControlError) {
        guard let drawn = DiagramLanguage(language) else {
            throw .usage(
                "'\(language.shortened)' is not DOT, MERMAID or SVG; "
                    + "usage: \(subcommands.program) diagram flow [DOT|MERMAID|SVG]")
        }
        let isFile = FlowFiles.isPath(flow)
        let text = isFile ? try drawing(ofFile: flow, drawn) : try daemon.ask(["DIAGRAM", flow, language]).text ?? ""
        try output.write(json: .string(text), lines: [text.printableLines])
    }

    private func drawing(ofFile path: String, _ language: DiagramLanguage) throws(ControlError) -> String {
        let file = FlowFile(checking: path)
        guard let kind = file.kind() else { throw file.error }
        do {
            let graph = try kind.graph()
            return switch language {
            case .dot: graph.dot
            case .mermaid: graph.mermaid
            case .svg: try graph.svg()
            }
        } catch let error as DiagramError {
            throw .badFlow("\(path.printable): \(error)")
        } catch {
            throw .badFlow("\(path.printable): the flow cannot be explored: \(error)")
        }
    }
}

// MARK: - `schema`: the JSON Schema of flow files, for editors.

extension Subcommand {
    static let schema = Subcommand(
        .offline, syntax: "schema",
        summary: "Prints the JSON Schema of flow files, for completion and checks in editors.",
        details: """
            Editors that support JSON Schema read it from a file: in VS Code, "json.schemas": [{"fileMatch": ["*.json5"], \
            "url": "./flow.schema.json"}]. It describes the structure of a flow file; 'check' finds more problems.
            """,
        examples: ["gamectl schema > flow.schema.json"], words: 0...0
    ) { context, _ throws(ControlError) in
        try context.output.write(FlowSchema.text)
        return .accepted
    }
}
