// `check`: reports problems of flow files, and whether one does the same as another flow.

import Client
import GameFlow
import Texts

extension Subcommand {
    static func check(_ flows: RehearsedFlows) -> Subcommand {
        nonisolated(unsafe) let flows = flows
        return Subcommand(
            .offline, syntax: "check [--strict] [--same-as FLOW] FILE …",
            summary: "Checks flow files and reports every fault with its line and column.",
            details: """
                FILE is a flow file, or a folder whose *.json5 and *.json are checked. The exit status is 65 if one has an error, \
                with --strict also if one has a warning.

                With --same-as, each flow is explored side by side with another one, in virtual time: both get the same events with \
                the same payloads, and the same time passes. FLOW is a flow's name or a file. If they differ, the shortest path to a \
                difference is told, and the exit status is 1.
                """,
            examples: [
                "gamectl check quiz.json5", "gamectl check --strict flows/", "gamectl check game.json5 --same-as game",
            ],
            options: [
                Option("--strict", nil, "a warning is an error"),
                Option("--same-as", "FLOW", "a flow, or a flow file, that must do the same"), .flows,
                Option("--verbose", nil, "also explore each flow, and tell which states were not reached or not left"),
            ], words: 1...Int.max - 1
        ) { context, call throws(ControlError) in
            if let scenario = call.words.first(where: { $0.hasSuffix(".scenario") }) {
                throw .usage("\(scenario.shortened) is a scenario; gamectl test reads it, and gamectl check reads flow files")
            }
            let check = FlowCheck(
                isStrict: call.options["--strict"] != nil, isVerbose: call.options["--verbose"] != nil,
                model: try call.options["--same-as"].map { word throws(ControlError) in
                    try FlowModel(word, among: try flows.with(filesOf: call))
                })
            return try context.run(check, on: FlowFiles(call.words, areTogether: false))
        }
    }
}

extension CommandContext {
    fileprivate func run(_ check: FlowCheck, on files: FlowFiles) throws(ControlError) -> ControlStatus {
        let output = output.cleaned
        var status = ControlStatus.accepted
        for file in files.files {
            let report = check.report(on: file)
            if output.isJSON { try output.write(json: report.json) } else { try output.write(lines: report.lines) }
            switch report.status {
            case .refused where status == .accepted, .badInput: status = report.status
            case .accepted, .refused, .noDaemon, .usage, .inputOutput: break
            }
        }
        return status
    }
}

/// The flow that others must do the same as.
struct FlowModel {
    let name: String
    let kind: FlowKind

    /// A flow's name, or the path of a flow file.
    init(_ word: String, among flows: RehearsedFlows) throws(ControlError) {
        name = word
        guard FlowFiles.isPath(word) else {
            let kinds = flows.makeIdle()
            guard let kind = kinds.first(where: { $0.name == word }) else {
                throw .usage("there is no flow '\(word.shortened)'; \(kinds.map(\.name).advice(for: word)), and files")
            }
            self.kind = kind
            return
        }
        let file = CheckedFlowFile(path: word)
        guard let kind = file.kind() else { throw .badFlow(file.complaints.joined(separator: "\n")) }
        self.kind = kind
    }
}
