// `gamectl sessions`: the names of all sessions, or of those that match.

import GameClient
import Texts

extension Subcommand {
    static let sessions = Subcommand(
        .sessions, syntax: "sessions [--match GLOB] [--flow FLOW] [--state STATE]",
        summary: "Lists the names of all sessions, one per line.",
        details: """
            The options narrow the list by name, flow and state. The state ! stands for sessions that could not be restored or are \
            quarantined; on a terminal, each of these is shown with the reason and what can be done about it.
            """,
        examples: [
            "gamectl sessions", "gamectl sessions --match 'room-*' --flow game --state introduction",
            "gamectl sessions --state '!'",
        ],
        options: [
            Option("--match", "GLOB", "names that match: *, ?, [a-c]"), Option("--flow", "FLOW", "sessions of this flow"),
            Option("--state", "STATE", "sessions in this state"),
            Option("--count", "N", "how many the daemon looks at in one step (1000)"),
        ], words: 0...0
    ) { context, call throws(ControlError) in
        try context.listSessions(call.options)
        return .accepted
    }
}

extension CommandContext {
    fileprivate func listSessions(_ options: [String: String]) throws(ControlError) {
        var all: [String] = []
        try daemon.scanSessions(
            match: options["--match"], flow: options["--flow"], state: options["--state"], count: options["--count"]
        ) { names throws(ControlError) in
            if output.isJSON || showsReasons(options) { all += names } else { try output.say(lines: names.map(\.printable)) }
        }
        if showsReasons(options) {
            for name in all { try output.say(try reason(of: name).printable) }
        } else if output.isJSON {
            try output.say(json: .array(all.map { .string($0) }))
        }
    }

    /// Only sessions that are set aside have a reason.
    private func showsReasons(_ options: [String: String]) -> Bool {
        options["--state"] == "!" && output.isTerminal && !output.isJSON
    }

    /// The daemon's sentence on why it is set aside; its name if it has come back meanwhile.
    private func reason(of session: String) throws(ControlError) -> String {
        do throws(ControlError) {
            _ = try daemon.ask(["STATE", session])
            return session
        } catch .refused(_, let sentence) {
            return sentence
        }
    }
}
