// NEXT: the timers that fire next.

import GameFlow
import Memory
import RESP
import Sessions

extension Command {
    package static let next = Command(
        name: "NEXT", group: .time, needs: .reads(.ownSessions),
        summary: "Lists the timers of all sessions that fire next.",
        details: """
            A client with access to some sessions only sees the timers of these that are among the next \
            \(Sessions.maxFirings).
            """,
        examples: ["NEXT", "NEXT COUNT 3"],
        Form(NextRequest.self))
}

package struct NextRequest: PromptRequest {
    let count: Int

    package init(count: Int?) { self.count = min(count ?? 10, 10_000) }

    package static let form = CommandForm(.optional(keyword: "COUNT", "n", .positive, "number of timers; default 10")) {
        NextRequest(count: $0)
    }
    package static var command: Command { .next }

    package func run(_ call: Call) throws(CommandError) -> NextReply {
        let found = call.host.sessions.nextFirings(count, of: call.client.grant.scope)
        call.charge(requests: found.work)
        return NextReply(firings: found.firings)
    }
}

/// Timers as they are when the reply is written, at once.
package struct NextReply: ReplyValue {
    let firings: [(session: Session, timer: StateTimer)]

    package init(firings: [(session: Session, timer: StateTimer)]) { self.firings = firings }

    package func write(to reply: some ReplyWriter) {
        reply.append(arrayOf: firings.count)
        for (session, timer) in firings {
            var map = reply.beginMap()
            map.key("session")
            session.withName { reply.append(bulk: $0) }
            map.field("timer", timer.plan.name)
            map.field("event", timer.plan.messageName)
            map.field("remaining_ms", timer.remaining?.milliseconds ?? 0)
            map.end()
        }
    }
}

extension Sessions {
    /// The timers that fire next, in order, with their sessions; and the work of finding them, counted in requests.
    package func nextFirings(
        _ count: Int, of scope: SessionScope?
    ) -> (firings: [(session: Session, timer: StateTimer)], work: Int) {
        let timers = timekeeper.nextTimers(scope == nil ? count : Self.maxFirings)
        let work = timers.count / 8 + timekeeper.scannedSlots / Self.slotsOfRequest
        let firings = timers.compactMap(firing(of:))
        guard let scope else { return (firings, work) }
        return (Array(firings.lazy.filter { $0.session.withName(scope.admits) }.prefix(count)), work)
    }

    /// Slots that are scanned in the time of a request.
    private static var slotsOfRequest: Int { 1_024 }

    /// The timers that are searched for a client that sees only some sessions.
    fileprivate static var maxFirings: Int { 10_000 }

    private func firing(of timer: StateTimer) -> (session: Session, timer: StateTimer)? {
        guard let machine = timer.machine(in: self), owns(machine) else { return nil }
        return (Session(Borrowed(machine), in: self), timer)
    }
}

extension StateTimer {
    /// The machine that carries it, or that expires with it; nil for one that is the daemon's own.
    fileprivate func machine(in sessions: Sessions) -> AnyMachine? {
        host as? AnyMachine ?? (host as? SessionExpiry).flatMap { sessions.find(inSlot: $0.slot)?.machine }
    }
}
