// SESSIONS: scans the names of sessions.

import Memory
import RESP
import Sessions

extension Command {
    package static let sessions = Command(
        name: "SESSIONS", group: .sessions, needs: .reads(.ownSessions),
        summary: "Lists session names page by page, like SCAN: call again with the cursor until it is 0.",
        details: """
            The reply is the next cursor and some names: possibly none, and fewer than COUNT where the scan would take long. \
            A session that exists during the whole scan is listed. STATE ! lists the sessions that were set aside: they \
            could not be restored after a restart, or the daemon died of them. STATE shows the reason, and RETRY tries to \
            restore the latter. STATE !stopped lists the sessions whose clock the daemon has stopped.
            """,
        examples: ["SESSIONS", "SESSIONS 0 MATCH room-* FLOW game STATE introduction COUNT 100"],
        Form(SessionsRequest.self))
}

package struct SessionsRequest: PromptRequest {
    let cursor: Int
    let match: Glob?
    let flow: String?
    let state: String?
    let count: Int

    package static let form = CommandForm(
        .optional("cursor", .cursor, "the cursor of the last reply; default 0"),
        .optional(keyword: "MATCH", "glob", .pattern, "a glob that their names match"),
        .optional(keyword: "FLOW", "f", .text, "their flow"),
        .optional(
            keyword: "STATE", "s", .text,
            "their state, also one around it; ! for those that are set aside, !stopped for those whose clock the daemon stopped"
        ),
        .optional(keyword: "COUNT", "n", .positive, "number of sessions to scan")
    ) { SessionsRequest(cursor: $0 ?? 0, match: $1, flow: $2, state: $3, count: min($4 ?? 10, 100_000)) }
    package static var command: Command { .sessions }

    package func run(_ call: Call) throws(CommandError) -> SessionsReply {
        let scope = call.client.grant.scope
        // Sessions that are set aside are listed by a state's name that no flow can have.
        return state == "!" ? setAside(call, scope) : scan(call, scope)
    }

    /// Looking at this many sessions takes some milliseconds: the scan stops there, and the cursor continues it.
    private static let maxWork = 20_000
    private static let workOfOneRequest = 16
    /// Pattern-matching steps that take as long as looking at one session.
    private static let stepsOfOneLook = 32

    private func scan(_ call: Call, _ scope: SessionScope?) -> SessionsReply {
        var (cursor, left, work, names) = (cursor, count, 0, [ByteString]())
        repeat {
            let part = call.host.sessions.scan(from: cursor, atMost: min(left, 256))
            for session in part.sessions where accepts(session, scope, &work) { names.append(session.nameBytes) }
            work += part.sessions.count + 1
            (cursor, left) = (part.next, left - 256)
        } while cursor != 0 && left > 0 && work < Self.maxWork
        call.charge(requests: work / Self.workOfOneRequest)
        return SessionsReply(names: names, next: cursor)
    }

    /// Counts the work it takes. Sessions that are not the client's are left out.
    private func accepts(_ session: Session, _ scope: SessionScope?, _ work: inout Int) -> Bool {
        if let flow, session.machine.flowName != flow { return false }
        if state == "!stopped" {
            guard session.machine.isHalted else { return false }
        } else if let state, !Self.isInside(session.machine.stateName, state) {
            return false
        }
        if let scope, !session.withName(scope.admits) { return false }
        return session.withName { matches($0, &work) }
    }

    /// Whether a session's state is this one or in it. In parallel regions, it is the names of their states, separated by commas.
    private static func isInside(_ name: String, _ state: String) -> Bool {
        let (comma, dot) = (UInt8(ascii: ","), UInt8(ascii: "."))
        var rest = name.utf8[...]
        while rest.count >= state.utf8.count {
            if rest.starts(with: state.utf8) {
                let next = rest.dropFirst(state.utf8.count).first
                if next == nil || next == comma || next == dot { return true }
            }
            guard let end = rest.firstIndex(of: comma) else { return false }
            rest = rest[rest.index(after: end)...]
        }
        return false
    }

    /// Counts the work it takes.
    private func matches(_ name: UnsafeRawBufferPointer, _ work: inout Int) -> Bool {
        guard let match else { return true }
        var steps = 0
        defer { work += steps / Self.stepsOfOneLook }
        return match.matches(name, &steps)
    }

    // MARK: Sessions that are set aside

    /// More sessions than this are listed part by part.
    private static let maxAtOnce = 1_000

    private func setAside(_ call: Call, _ scope: SessionScope?) -> SessionsReply {
        let aside = call.host.sessions.setAsideSessions
        let most = aside.count > Self.maxAtOnce ? min(count, Self.maxAtOnce) : .max
        var (part, work, names) = (cursor, 0, [ByteString]())
        while part < SetAsideSessions.partCount && names.count < most && work < Self.maxWork {
            for session in aside.part(part) where accepts(session, scope, &work) { names.append(session.name) }
            part += 1
        }
        call.charge(requests: work / Self.workOfOneRequest)
        return SessionsReply(names: names.sorted(), next: part < SetAsideSessions.partCount ? part : 0)
    }

    private func accepts(_ session: SetAsideSession, _ scope: SessionScope?, _ work: inout Int) -> Bool {
        work += 1
        if let flow, session.flow != flow { return false }
        if let scope, !scope.admits(session.name) { return false }
        return session.name.withBytes { matches($0, &work) }
    }
}

/// Some names, and where the next call goes on; 0 at the end.
package struct SessionsReply: ReplyValue {
    package let names: [ByteString]
    package let next: Int

    package func write(to reply: ReplyBuffer) {
        reply.append(arrayOf: 2)
        reply.append(bulk: String(next))
        names.write(to: reply)
    }
}
