// Result of checking one flow file, as text and as JSON.

import Client
import GameFlow
import Statecharts
import Texts

struct FlowCheck {
    let isStrict: Bool
    let isVerbose: Bool
    /// Nil if nothing is compared.
    let model: FlowModel?

    /// How much of a flow is explored: enough for any that a person has written. Moves are also made to repeat the path to a state.
    var maxMoves = 20_000
    var maxSteps = 1_000_000

    func report(on file: FlowFile) -> FlowFileReport {
        var report = FlowFileReport(file: file, isStrict: isStrict)
        guard let kind = file.kind() else { return report }
        if isVerbose { report.notes = notes(on: kind) }
        if let model { report.comparison = try? FlowComparison(model.kind, with: kind, names: (model.name, file.path)) }
        return report
    }

    /// Results of exploring are notes, not mistakes: a guard may need more than a sample of its event.
    private func notes(on kind: FlowKind) -> [String] {
        guard let found = try? Exploration(kind, maxMoves: maxMoves, maxSteps: maxSteps) else { return [] }
        if let moves = found.movesUntilStop {
            return ["exploring stopped after \("move".counted(moves)), before it knew which states are not reached or not left"]
        }
        return found.unreachable.map { "'\($0)' was not reached by exploring" }
            + found.deadEnds.map { "exploring found nothing that leads out of '\($0)', which is not final" }
    }
}

struct FlowFileReport {
    let file: FlowFile
    let isStrict: Bool
    var notes: [String] = []
    /// Nil if nothing is compared.
    var comparison: FlowComparison?

    var status: ControlStatus {
        if !file.isReadable { return .inputOutput }
        if !file.errors.isEmpty || (isStrict && !file.warnings.isEmpty) { return .badInput }
        return comparison?.isSame == false ? .refused : .accepted
    }

    var lines: [String] {
        let problems = file.problems.map { $0.description(in: file.path) }
        let notes = notes.map { "\(file.path.printable): note: \($0.printable)" }
        return problems + notes + [summary, comparison?.description.printable].compactMap(\.self)
    }

    /// `quiz.json5: quiz, 5 states, 4 events, 3 timers: no problems`; nil where there are errors.
    private var summary: String? {
        guard let definition = file.definition else { return nil }
        let counts = [
            "state".counted(definition.stateCount), "event".counted(definition.events.count),
            "timer".counted(definition.timers.count),
        ]
        let verdict = file.warnings.isEmpty ? "no problems" : "warning".counted(file.warnings.count)
        return "\(file.path): \(definition.name), \(counts.joined(separator: ", ")): \(verdict)".printable
    }

    var json: JSON {
        var members: [JSON.Member] = [.init("file", .string(file.path)), .init("ok", .bool(status == .accepted))]
        if let definition = file.definition {
            members += [
                .init("flow", .string(definition.name)), .init("states", .integer(definition.stateCount)),
                .init("events", .integer(definition.events.count)), .init("timers", .integer(definition.timers.count)),
            ]
        }
        members.append(.init("problems", .array(file.problems.map(\.json))))
        if !notes.isEmpty { members.append(.init("notes", .array(notes.map { .string($0) }))) }
        if let comparison {
            members += [.init("same", .bool(comparison.isSame)), .init("comparison", .string(comparison.description))]
        }
        return .object(members)
    }
}

extension FlowFileProblem {
    fileprivate var json: JSON {
        [
            "severity": .string(severity.rawValue), "line": .integer(position.line), "column": .integer(position.column),
            "sentence": .string(sentence),
        ]
    }
}

// MARK: - `check`: reports problems of flow files, and whether one does the same as another flow.

extension Subcommand {
    static func check(_ flows: RehearsedFlows) -> Subcommand {
        Subcommand(
            .offline, syntax: "check [--strict] [--same-as FLOW] FILE …",
            summary: "Checks flow files and reports every fault with its line and column.",
            details: """
                FILE is a flow file, or a directory whose *.json5 and *.json are checked. The exit status is 65 if one has \
                an error, with --strict also if one has a warning, and 74 if one cannot be read. Two files with one id are an \
                error, except with --same-as, and an invoked flow that is in none of several files is a warning.

                With --same-as, each flow is explored side by side with another one, in virtual time: both get the same \
                events with the same payloads, and the same time passes. Of an event with many fields or values only a part of \
                the payloads is tried, and the report names it. FLOW is a flow's name or a file. States, \
                accepted events, timers and data are compared, and neither views nor emitted or sent events. If they differ, \
                the shortest path to a difference is reported, and the exit status is 1.
                """,
            examples: [
                "gamectl check quiz.json5", "gamectl check --strict flows/", "gamectl check game.json5 --same-as game",
            ],
            options: [
                Option("--strict", nil, "a warning is an error"),
                Option("--same-as", "FLOW", "a flow, or a flow file, that must behave the same"),
                .flowFiles(
                    .beside("--same-as", because: "that flow is looked for there")
                        + .without("--same-as", where: FlowFiles.isPath, because: "that is a file, which needs no other flows")),
                Option("--verbose", nil, "also explore each flow, and report states that were not reached or not left"),
            ], words: 1...Int.max - 1
        ) { context, call throws(ControlError) in
            if let scenario = call.words.first(where: { $0.hasSuffix(".scenario") }) {
                throw .badFile("\(scenario.shortened) is a scenario; gamectl test reads it, and gamectl check reads flow files")
            }
            let check = FlowCheck(
                isStrict: call.options["--strict"] != nil, isVerbose: call.options["--verbose"] != nil,
                model: try call.options["--same-as"].map { word throws(ControlError) in
                    try FlowModel(word, among: try flows.with(filesOf: call))
                })
            // Versions of one flow may be compared with another; otherwise one daemon is to host all of them.
            var files = FlowFiles(call.words, areTogether: check.model == nil)
            // Of one file alone, the others are not known.
            if check.model == nil, files.files.count > 1 { files.warnOfMissingFlows(besides: flows.makeIdle().map(\.name)) }
            return try context.run(check, on: files)
        }
    }
}

extension CommandContext {
    fileprivate func run(_ check: FlowCheck, on files: FlowFiles) throws(ControlError) -> ControlStatus {
        let output = output.cleaned
        var status = ControlStatus.accepted
        for file in files.files {
            let report = check.report(on: file)
            try output.write(json: report.json, lines: report.lines)
            status = max(status, report.status)
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
        let file = FlowFile(checking: word)
        guard let kind = file.kind() else { throw file.error }
        self.kind = kind
    }
}
