// SESSIONS: scans the names of sessions.

import Memory
import RESP
import Sessions

extension Command {
    package static let sessions: Command = Command(
        name: "SESSIONS", group: .sessions, needs: .reads(.ownSessions),
        syntax: "SESSIONS [cursor] [MATCH glob] [FLOW f] [STATE s] [COUNT n]",
        summary: "Lists session names page by page, like SCAN: call again with the cursor until it is 0.",
        details: """
            The reply is the next cursor and some names: perhaps none, and fewer than COUNT where it would take long. A session \
            that exists during the whole scan is listed. STATE ! lists the sessions that were set aside: they could not be \
            restored after a restart, or the daemon died of them. STATE says why, and RETRY tries to restore the latter. \
            STATE !stopped lists the sessions whose clock the daemon has stopped.
            """,
        examples: ["SESSIONS", "SESSIONS 0 MATCH room-* FLOW game STATE introduction COUNT 100"],
        words: 1...10
    ) { call throws(CommandError) in
        let filter = try SessionFilter(call)
        if filter.wantsUnrestored {
            return call.appendSetAside(filter)
        }
        call.appendSessions(filter)
    }
}

extension Call {
    /// Looking at so many sessions takes some milliseconds: the scan stops there, and the cursor continues it.
    private static var mostWork: Int { 20_000 }
    private static var workOfOneRequest: Int { 16 }

    fileprivate func appendSessions(_ filter: SessionFilter) {
        var (cursor, left, work, names) = (filter.cursor, filter.count, 0, [ByteString]())
        repeat {
            let part = host.sessions.scan(from: cursor, atMost: min(left, 256))
            for session in part.sessions where filter.accepts(session, &work) { names.append(session.nameBytes) }
            work += part.sessions.count + 1
            (cursor, left) = (part.next, left - 256)
        } while cursor != 0 && left > 0 && work < Self.mostWork
        takesAsLong(as: work / Self.workOfOneRequest)
        reply.append(arrayOf: 2)
        reply.append(bulk: String(cursor))
        reply.append(arrayOf: names.count)
        for name in names { name.withBytes { reply.append(bulk: $0) } }
    }

    /// More sessions than this are listed part by part.
    private static var mostAtOnce: Int { 1_000 }

    fileprivate func appendSetAside(_ filter: SessionFilter) {
        let aside = host.sessions.unrestored
        guard aside.count > Self.mostAtOnce else { return append(filter.names(of: aside.values), next: 0) }
        var (part, names) = (filter.cursor, [ByteString]())
        guard (0..<SetAsideSessions.partCount).contains(part) else { return append([], next: 0) }
        repeat {
            names += filter.names(of: aside.part(part))
            part += 1
            takesAsLong(as: aside.count / SetAsideSessions.partCount / Self.workOfOneRequest)
        } while part < SetAsideSessions.partCount && names.count < min(filter.count, Self.mostAtOnce)
            && host.turns?.isFull == false
        append(names, next: part == SetAsideSessions.partCount ? 0 : part)
    }

    private func append(_ names: [ByteString], next: Int) {
        reply.append(arrayOf: 2)
        reply.append(bulk: String(next))
        reply.append(arrayOf: names.count)
        for name in names { name.withBytes { reply.append(bulk: $0) } }
    }
}

/// The filters of SESSIONS.
private struct SessionFilter {
    private(set) var cursor = 0
    private(set) var count = 10
    private var match: Glob?
    private var flow: String?
    private var state: String?
    /// Sessions that are not the client's are left out.
    private let scope: SessionScope?

    init(_ call: Call) throws(CommandError) {
        scope = call.client.grant.scope
        var index = 1
        if call.count > 1, let cursor = call.arguments[1].integer {
            self.cursor = cursor
            index = 2
        }
        while index < call.count {
            guard index + 1 < call.count else { throw .syntax(call.command.syntax) }
            let option = call.arguments[index]
            if option.isWord("MATCH") {
                match = Glob(try call.pattern(index + 1))
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

    /// Unrestored sessions are listed by a state name that no flow can have.
    var wantsUnrestored: Bool { state == "!" }
    private var wantsStopped: Bool { state == "!stopped" }

    func names(of unrestored: some Sequence<SetAsideSession>) -> [ByteString] {
        unrestored.filter { (flow ?? $0.flow) == $0.flow && matches($0.name) && scope?.admits($0.name) ?? true }
            .map(\.name).sorted()
    }

    /// Counts the work it takes.
    func accepts(_ session: Session, _ work: inout Int) -> Bool {
        if let flow, session.machine.flowName != flow { return false }
        if wantsStopped {
            guard session.machine.clock.isHalted else { return false }
        } else if let state, session.machine.stateName != state {
            return false
        }
        if let scope, !session.withName(scope.admits) { return false }
        guard let match else { return true }
        var steps = 0
        defer { work += steps / Self.stepsOfOneLook }
        return session.withName { match.matches($0, &steps) }
    }

    private func matches(_ name: ByteString) -> Bool { match.map { match in name.withBytes { match.matches($0) } } ?? true }

    /// Pattern-matching steps that take as long as looking at one session.
    private static let stepsOfOneLook = 32
}
