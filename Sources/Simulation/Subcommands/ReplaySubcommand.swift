// `replay`: runs a session's history through its flow again.

import Client

extension Subcommand {
    static func replay(_ flows: RehearsedFlows) -> Subcommand {
        Subcommand(
            .sessions, syntax: "replay session [--flows DIR] [--verbose]",
            summary: "Runs a session's history through its flow again and compares the states.",
            details: """
                The replay agrees if it ends in the recorded state. The session itself is not changed: its events are sent \
                to a copy in virtual time, whose timers fire at the recorded times. Its work and the hooks after a step do \
                not run. An event that was refused must be refused again. If the flow behaves differently, the first event \
                that differs is reported, and the exit status is 1. The daemon keeps only the newest events: if earlier ones \
                are missing, the replay reports that it starts in the middle. If these may be the reason for a difference, it \
                reports up to which event it could compare, with the same exit status. It needs the session's flow, so flows that \
                only the daemon has cannot be replayed; --flows names those of files.
                """,
            examples: ["gamectl replay room", "gamectl replay room --verbose"],
            options: [.flows, .verbose("list every event")], words: 1...1
        ) { context, call throws(ControlError) in
            try context.replay(call.words[0], try flows.with(filesOf: call), isVerbose: call.options["--verbose"] != nil)
        }
    }
}

extension CommandContext {
    fileprivate func replay(_ name: String, _ flows: RehearsedFlows, isVerbose: Bool) throws(ControlError) -> ControlStatus {
        let recorded = try record(of: name)
        let output = output.cleaned
        guard let report = HistoryReplay.run(recorded, named: name, flows) else {
            throw .refused(
                code: .noFlow,
                sentence:
                    "'\(name)' runs the flow '\(recorded.flow)', which \(subcommands.program) does not have; --flows DIR reads flow files, as the daemon does"
            )
        }
        try output.write(
            json: ReplayText.json(report, of: name, recorded),
            lines: ReplayText(style: output.style).lines(report, of: name, recorded, isVerbose: isVerbose))
        return report.verdict == .agrees ? .accepted : .refused
    }

    /// More lines than any daemon keeps.
    private static var everything: String { "1000000000" }

    /// A busy session may change between the two requests; then they are repeated.
    private func record(of name: String) throws(ControlError) -> RecordedSession {
        var last: RecordedSession?
        for _ in 0..<10 {
            let state = try daemon.ask(["STATE", name])
            let history = try daemon.ask(["HISTORY", name, "COUNT", Self.everything])
            guard let recorded = RecordedSession(state: state, history: history) else {
                throw .noDaemon(
                    "the daemon at \(daemon.address) returned a history that \(subcommands.program) cannot read")
            }
            if recorded.isOfOneMoment { return recorded }
            last = recorded
        }
        guard var recorded = last else { throw .noDaemon("the daemon at \(daemon.address) does not answer") }
        recorded.endWithLines()
        return recorded
    }
}
