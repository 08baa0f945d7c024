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
            At most \(NextRequest.maxCount) are listed. A session that will expire has the timer `--expire`, which has no event. \
            A client with access to some sessions only sees the timers of these that are among the next \(Sessions.maxFirings).
            """,
        examples: ["NEXT", "NEXT COUNT 3"],
        Form(NextRequest.self))
}

package struct NextRequest: PromptRequest {
    /// More of them would take longer than 20 ms.
    fileprivate static let maxCount = 4_000
    let count: Int

    package init(count: Int?) { self.count = min(count ?? 10, Self.maxCount) }

    package static let form = CommandForm(.optional(keyword: "COUNT", "n", .positive, "number of timers; default 10")) {
        NextRequest(count: $0)
    }
    package static var command: Command { .next }

    package func run(_ call: Call) throws(CommandError) -> NextReply {
        let found = call.host.sessions.nextFirings(count, of: call.client.grant.scope)
        call.charge(requests: found.work)
        return NextReply(firings: found.firings, at: call.host.timekeeper.now)
    }
}

/// A timer and its session, as they were when it was found.
package struct NextFiring {
    package let session: String
    let timer: String
    let event: String?
    package let deadline: Instant
}

package struct NextReply: ReplyValue {
    let firings: [NextFiring]
    let now: Instant

    package init(firings: [NextFiring], at now: Instant) { (self.firings, self.now) = (firings, now) }

    package func write(to reply: ReplyBuffer) {
        let maps = Maps(of: firings) { firing, map in
            map.field("session", firing.session)
            map.field("timer", firing.timer)
            map.field("event", firing.event)
            map.field("remaining_ms", now.duration(to: firing.deadline).milliseconds)
        }
        maps.write(to: reply)
    }
}

extension Sessions {
    /// The timers that fire next, in order, with their sessions; and the work of finding them, counted in requests.
    package func nextFirings(_ count: Int, of scope: SessionScope?) -> (firings: [NextFiring], work: Int) {
        let timers = timekeeper.nextTimers(scope == nil ? count : Self.maxFirings)
        let work = timers.count / 2 + timekeeper.scannedSlots / Self.slotsOfRequest
        var firings: [NextFiring] = []
        for timer in timers where firings.count < count {
            guard let session = session(of: timer), scope.map({ session.withName($0.admits) }) ?? true else { continue }
            firings.append(firing(of: session, timer))
        }
        return (firings, work)
    }

    /// Slots that are scanned in the time of a request.
    private static var slotsOfRequest: Int { 1_024 }

    /// The timers that are searched for a client that sees only some sessions.
    fileprivate static var maxFirings: Int { 10_000 }

    private func session(of timer: StateTimer) -> Session? {
        guard let machine = timer.machine(in: self), owns(machine) else { return nil }
        return Session(Borrowed(machine), in: self)
    }

    private func firing(of session: Session, _ timer: StateTimer) -> NextFiring {
        let plan = timer.plan
        return NextFiring(
            session: session.name, timer: plan.name, event: plan.messageName,
            deadline: timekeeper.now.advanced(by: timer.remaining ?? .zero))
    }
}

extension StateTimer {
    /// The machine that carries it, or that expires with it; nil for one that is the daemon's own.
    fileprivate func machine(in sessions: Sessions) -> AnyMachine? {
        host as? AnyMachine ?? (host as? SessionExpiry).flatMap { sessions.find(inSlot: $0.slot)?.machine }
    }
}
