// `gamectl replay`: a session's history, run through its flow once more.

import GameDaemon
import GameFlow
import RESP

extension Subcommand {
    static let replay = Subcommand(
        .sessions, syntax: "replay session [--verbose]",
        summary: "Runs a session's history through its flow again, and says whether it ends in the state recorded.",
        details: """
            Nothing happens to the session itself: its events are sent to a session of gamectl's own, in virtual time, and its \
            timers fire where the history says that they did. What was refused must be refused again. The exit status is 1 if \
            the flow does something else; the first event at which it does is named. The daemon keeps the newest events: where \
            earlier ones are gone, the replay begins in the middle and says so. Flows that only the daemon has cannot be \
            replayed here.
            """,
        examples: ["gamectl replay room", "gamectl replay room --verbose"],
        options: [Option("--verbose", nil, "list every event")], words: 1...1
    ) { control, call throws(ControlError) in
        try control.replay(call.words[0], isVerbose: call.options["--verbose"] != nil)
    }
}

extension Control {
    fileprivate func replay(_ name: String, isVerbose: Bool) throws(ControlError) -> ControlStatus {
        let recorded = try record(of: name)
        guard let report = HistoryReplay.run(recorded) else {
            throw .refused(
                code: "NOFLOW", sentence: "'\(name)' is of the flow '\(recorded.flow)', which this gamectl does not have")
        }
        if output.isJSON {
            try output.say(json: ReplayText.json(report, of: name, recorded))
        } else {
            try output.say(lines: ReplayText(style: output.style).lines(report, of: name, recorded, isVerbose: isVerbose))
        }
        return report.verdict == .agrees ? .accepted : .refused
    }

    private static var everything: String { "1000000000" }

    /// A session that is busy may change between two questions; then they are asked again.
    private func record(of name: String) throws(ControlError) -> RecordedSession {
        var last: RecordedSession?
        for _ in 0..<10 {
            let state = try ask(["STATE", name])
            let history = try ask(["HISTORY", name, "COUNT", Self.everything])
            guard let recorded = RecordedSession(state: state, history: history) else {
                throw .noDaemon("the gamed at \(addressText) tells its history in a way that this gamectl does not know")
            }
            if recorded.isOfOneMoment { return recorded }
            last = recorded
        }
        guard var recorded = last else { throw .noDaemon("the gamed at \(addressText) does not answer") }
        recorded.endWithLines()
        return recorded
    }
}
