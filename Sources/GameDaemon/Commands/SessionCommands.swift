// NEW, SEND, STATE, EVENTS, FORCE, DROP, SESSIONS, HISTORY: sessions and what happens in them.

import GameFlow
import RESP
import Timers

extension Command {
    static let sessionCommands: [Command] = [new, send, state, events, force, drop, sessions, history]

    private static let new: Command = Command(
        name: "NEW", syntax: "NEW session flow [json]",
        summary: "Begins a session, in the flow's first state or, with {\"state\":…}, in another. Replies with the state.",
        words: 3...4
    ) { call throws(CommandError) in
        let session = try call.daemon.sessions.begin(call.text(1), try call.flow(2), try call.payload(3))
        call.reply.append(simple: session.machine.stateName)
    }

    private static let send: Command = Command(
        name: "SEND", syntax: "SEND session event [payload]",
        summary: "Sends an event, with JSON or a bare word or number. Replies with the state after it.", words: 3...4
    ) { call throws(CommandError) in
        let session = try call.session()
        let event = call.text(2)
        do throws(Refusal) {
            try session.machine.send(
                named: event, payload: try refusing { () throws(CommandError) in try call.payload(3) }, from: .network)
        } catch {
            session.noteRefusal(of: event, error.description, from: .network)
            throw refusal(error, session)
        }
        call.reply.append(simple: session.machine.stateName)
    }

    /// A payload that is no JSON is refused as an event is: with a line in the session's history.
    private static func refusing(_ read: () throws(CommandError) -> JSON?) throws(Refusal) -> JSON? {
        do throws(CommandError) { return try read() } catch { throw .badEvent(error.sentence) }
    }

    /// The refusal for the wire. Whoever has lost a race against a timer is told so.
    private static func refusal(_ refusal: Refusal, _ session: Session) -> CommandError {
        switch refusal {
        case .transitionNotFound:
            guard let move = session.history.lastMove, session.machine.since == move.at else {
                return CommandError("NOTRANSITION", refusal.description)
            }
            let ago = move.at.duration(to: session.machine.timekeeper.now).milliseconds
            return CommandError("NOTRANSITION", "\(refusal); the timer '\(move.timer)' moved it here \(ago) ms ago")
        case .badEvent, .notAllowed: return CommandError("BADEVENT", refusal.description)
        case .vetoed: return CommandError("VETOED", refusal.description)
        case .tooMany: return CommandError("LIMIT", refusal.description)
        }
    }

    private static let state: Command = Command(
        name: "STATE", syntax: "STATE session",
        summary: "Where a session is: flow, state, data, since_ms, version, paused, final.", words: 2...2
    ) { call throws(CommandError) in
        let machine = try call.session().machine
        let reply = call.reply
        reply.append(mapOf: 7)
        reply.append(bulk: "flow")
        reply.append(bulk: machine.flowName)
        reply.append(bulk: "state")
        reply.append(bulk: machine.stateName)
        reply.append(bulk: "data")
        reply.append(bulk: (try? machine.stateData().description) ?? "null")
        reply.append(bulk: "since_ms")
        reply.append(integer: machine.since.duration(to: machine.timekeeper.now).milliseconds)
        reply.append(bulk: "version")
        reply.append(integer: Int(machine.version))
        reply.append(bulk: "paused")
        reply.append(boolean: machine.isFrozen)
        reply.append(bulk: "final")
        reply.append(boolean: machine.isFinal)
    }

    private static let events: Command = Command(
        name: "EVENTS", syntax: "EVENTS session", summary: "The events that a session accepts now.", words: 2...2
    ) { call throws(CommandError) in
        let names = try call.session().machine.acceptedFromOutside.map(\.name)
        call.reply.append(arrayOf: names.count)
        for name in names { call.reply.append(bulk: name) }
    }

    private static let force: Command = Command(
        name: "FORCE", syntax: "FORCE session state [json]",
        summary: "Puts a session into a state, whatever its flow says. A master's override, recorded as such.", words: 3...4
    ) { call throws(CommandError) in
        let session = try call.session()
        do throws(Refusal) {
            try session.machine.force(
                call.text(2), data: try refusing { () throws(CommandError) in try call.payload(3) } ?? .object([]))
        } catch {
            throw refusal(error, session)
        }
        call.reply.append(simple: session.machine.stateName)
    }

    private static let drop: Command = Command(
        name: "DROP", syntax: "DROP session", summary: "Ends a session, and its timers with it. 1, or 0 if there is none.",
        words: 2...2
    ) { call throws(CommandError) in
        call.reply.append(integer: call.daemon.sessions.drop(call.text(1)) ? 1 : 0)
    }

    private static let sessions: Command = Command(
        name: "SESSIONS", syntax: "SESSIONS [cursor] [MATCH glob] [FLOW f] [STATE s] [COUNT n]",
        summary: "The names of the sessions, a part at a time, as SCAN does it: go on with the cursor until it is 0.",
        words: 1...10
    ) { call throws(CommandError) in
        let filter = try SessionFilter(call)
        let found = call.daemon.sessions.scan(from: filter.cursor, atMost: filter.count)
        let names = found.sessions.filter(filter.accepts).map(\.name)
        call.reply.append(arrayOf: 2)
        call.reply.append(bulk: String(found.next))
        call.reply.append(arrayOf: names.count)
        for name in names { call.reply.append(bulk: name) }
    }

    private static let history: Command = Command(
        name: "HISTORY", syntax: "HISTORY session [COUNT n]",
        summary: "What has happened to a session, the newest first, refused events included.", words: 2...4
    ) { call throws(CommandError) in
        let session = try call.session()
        let entries = session.history.newest(try call.optionalCount(from: 2, else: 20))
        call.reply.append(arrayOf: entries.count)
        for entry in entries { append(entry, call) }
    }

    private static func append(_ entry: Occurrence, _ call: Call) {
        let reply = call.reply
        reply.append(mapOf: 7)
        reply.append(bulk: "ago_ms")
        reply.append(integer: entry.at.duration(to: call.daemon.timekeeper.now).milliseconds)
        reply.append(bulk: "source")
        reply.append(bulk: entry.source.name)
        reply.append(bulk: "event")
        reply.append(bulk: entry.event ?? "FORCE")
        reply.append(bulk: "timer")
        if let timer = entry.timer { reply.append(bulk: timer) } else { reply.appendNull() }
        reply.append(bulk: "from")
        reply.append(bulk: entry.from)
        reply.append(bulk: "to")
        reply.append(bulk: entry.to)
        reply.append(bulk: "refused")
        if let refusal = entry.refusal { reply.append(bulk: refusal) } else { reply.appendNull() }
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

    func accepts(_ session: Session) -> Bool {
        if let flow, session.machine.flowName != flow { return false }
        if let state, session.machine.stateName != state { return false }
        return match?.matches(session.name) ?? true
    }
}
