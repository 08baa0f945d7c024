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
            that is there all the time is named. STATE ! names those that could not be restored after a restart and were \
            set aside; STATE says why.
            """,
        examples: ["SESSIONS", "SESSIONS 0 MATCH room-* FLOW game STATE introduction COUNT 100"],
        words: 1...10
    ) { call throws(CommandError) in
        let filter = try SessionFilter(call)
        if filter.wantsAside {
            return call.append(filter.aside(call.daemon.sessions.aside.values.sorted { $0.name < $1.name }))
        }
        let found = call.daemon.sessions.scan(from: filter.cursor, atMost: filter.count)
        let sessions = found.sessions.filter(filter.accepts)
        call.reply.append(arrayOf: 2)
        call.reply.append(bulk: String(found.next))
        call.reply.append(arrayOf: sessions.count)
        for session in sessions { session.withName { call.reply.append(bulk: $0) } }
    }
}

extension Call {
    /// All that there are, at once.
    fileprivate func append(_ names: [ByteString]) {
        reply.append(arrayOf: 2)
        reply.append(bulk: "0")
        reply.append(arrayOf: names.count)
        for name in names { name.withBytes { reply.append(bulk: $0) } }
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
                match = Glob(call.arguments[index + 1].bytes)
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

    func aside(_ asides: [SetAside]) -> [ByteString] {
        asides.filter { (flow ?? $0.flow) == $0.flow && matches($0.name) }.map(\.name)
    }

    func accepts(_ session: Session) -> Bool {
        if let flow, session.machine.flowName != flow { return false }
        if let state, session.machine.stateName != state { return false }
        return match.map { match in session.withName { match.matches($0) } } ?? true
    }

    private func matches(_ name: ByteString) -> Bool { match.map { match in name.withBytes { match.matches($0) } } ?? true }
}
