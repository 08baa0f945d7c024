// SESSIONS: the sessions, a part at a time.

import GameFlow
import RESP

extension Command {
    static let sessions: Command = Command(
        name: "SESSIONS", group: .sessions,
        syntax: "SESSIONS [cursor] [MATCH glob] [FLOW f] [STATE s] [COUNT n]",
        summary: "The names of the sessions, a part at a time, as SCAN does it: go on with the cursor until it is 0.",
        details: """
            The reply is the next cursor and some names, perhaps none; go on with that cursor until it is 0. A session \
            that is there all the time is named. STATE ! names those that could not be restored after a restart, or that \
            gamed has died of, and were set aside; STATE says why, and RETRY tries again what gamed has died of.
            """,
        examples: ["SESSIONS", "SESSIONS 0 MATCH room-* FLOW game STATE introduction COUNT 100"],
        words: 1...10
    ) { call throws(CommandError) in
        let filter = try SessionFilter(call)
        if filter.wantsAside {
            return call.append(filter.aside(call.daemon.sessions.aside.values.sorted { $0.name < $1.name }))
        }
        let found = call.daemon.sessions.scan(from: filter.cursor, atMost: filter.count)
        let names = found.sessions.filter(filter.accepts).map(\.name)
        call.reply.append(arrayOf: 2)
        call.reply.append(bulk: String(found.next))
        call.reply.append(arrayOf: names.count)
        for name in names { call.reply.append(bulk: name) }
    }
}

extension Call {
    /// All that there are, at once.
    fileprivate func append(_ names: [String]) {
        reply.append(arrayOf: 2)
        reply.append(bulk: "0")
        reply.append(arrayOf: names.count)
        for name in names { reply.append(bulk: name) }
    }
}

/// What SESSIONS is asked for.
private struct SessionFilter {
    private(set) var cursor = 0
    private(set) var count = 10
    private var match: Glob?
    private var flow: String?
    private var state: String?

    init(_ call: Call) throws(CommandError) {
        var index = 1
        if call.count > 1, let cursor = call.arguments[1].integer {
            self.cursor = cursor
            index = 2
        }
        while index < call.count {
            guard index + 1 < call.count else { throw .syntax(call.command.syntax) }
            let option = call.arguments[index]
            if option.isWord("MATCH") {
                match = Glob(call.text(index + 1))
            } else if option.isWord("FLOW") {
                flow = call.text(index + 1)
            } else if option.isWord("STATE") {
                state = call.text(index + 1)
            } else if option.isWord("COUNT") {
                count = min(try call.positive(index + 1), 100_000)
            } else {
                throw .syntax(call.command.syntax)
            }
            index += 2
        }
    }

    /// Those that could not be restored are asked for like a state that no flow has.
    var wantsAside: Bool { state == "!" }

    func aside(_ asides: [SetAside]) -> [String] {
        asides.filter { (flow ?? $0.flow) == $0.flow && match?.matches($0.name) ?? true }.map(\.name)
    }

    func accepts(_ session: Session) -> Bool {
        if let flow, session.machine.flowName != flow { return false }
        if let state, session.machine.stateName != state { return false }
        return match?.matches(session.name) ?? true
    }
}
