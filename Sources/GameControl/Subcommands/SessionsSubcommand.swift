// `gamectl sessions`: all of them, however many parts the daemon tells them in.

import GameDaemon
import GameFlow
import RESP

extension Subcommand {
    static let sessions = Subcommand(
        .sessions, syntax: "sessions [--match GLOB] [--flow FLOW] [--state STATE]",
        summary: "The names of all sessions, one a line.",
        details: """
            Only those that match the pattern, are of the flow, and are in the state. The state ! is that of sessions that could \
            not be restored or are quarantined; on a terminal, each is shown with the reason and what can be done about it.
            """,
        examples: [
            "gamectl sessions", "gamectl sessions --match 'room-*' --flow game --state introduction",
            "gamectl sessions --state '!'",
        ],
        options: [
            Option("--match", "GLOB", "names that match: *, ?, [a-c]"), Option("--flow", "FLOW", "sessions of this flow"),
            Option("--state", "STATE", "sessions in this state"),
            Option("--count", "N", "how many the daemon looks at in one go (1000)"),
        ], words: 0...0
    ) { control, call throws(ControlError) in
        try control.listSessions(call.options)
        return .accepted
    }
}

extension Control {
    fileprivate func listSessions(_ options: [String: String]) throws(ControlError) {
        var all: [String] = []
        try scanSessions(
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

    /// What is in order needs none.
    private func showsReasons(_ options: [String: String]) -> Bool {
        options["--state"] == "!" && output.isTerminal && !output.isJSON
    }

    /// Why it is set aside, as the daemon says it: it has come back meanwhile, or is gone, if it says anything else.
    private func reason(of session: String) throws(ControlError) -> String {
        do throws(ControlError) {
            _ = try ask(["STATE", session])
            return session
        } catch .refused(_, let sentence) {
            return sentence
        }
    }

    /// Walks the cursor to its end.
    func scanSessions(
        match: String? = nil, flow: String? = nil, state: String? = nil, count: String? = nil,
        _ body: ([String]) throws(ControlError) -> Void
    ) throws(ControlError) {
        let filters = [("MATCH", match), ("FLOW", flow), ("STATE", state), ("COUNT", count ?? "1000")]
        let options = filters.flatMap { filter in filter.1.map { [filter.0, $0] } ?? [] }
        var cursor = "0"
        repeat {
            guard case .array(let parts) = try ask(["SESSIONS", cursor] + options), parts.count == 2,
                let next = parts[0].text, case .array(let names) = parts[1]
            else { throw .noDaemon("the daemon's answer to SESSIONS is none") }
            try body(names.compactMap(\.text))
            cursor = next
        } while cursor != "0"
    }
}
