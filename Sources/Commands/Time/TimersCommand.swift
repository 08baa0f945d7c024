// TIMERS: a session's timers.

import GameFlow
import Memory
import RESP
import Sessions

extension Command {
    package static let timers = Command(
        name: "TIMERS", group: .time, needs: .reads(.session),
        summary: "Shows a session's timers with their remaining time.",
        details: """
            `generation` changes whenever a timer is armed, stopped or extended: data with a lower number is older. \
            `length_ms` is its length without extensions; `deadline_ms`, in ms since 1970, is when it fires, and null while \
            it is paused; in virtual time it is the real date of the reply plus the remaining time. Milliseconds are whole, \
            and rounded up.
            """,
        examples: ["TIMERS room"],
        Form(TimersRequest.self))
}

package struct TimersRequest: SessionRequest {
    package let name: ByteString

    package init(session: ByteString) { name = session }

    package static let form = CommandForm(.session) { TimersRequest(session: $0) }
    package static var command: Command { .timers }

    package func run(_ call: Call) throws(CommandError) -> TimersReply {
        TimersReply(machine: try call.session(name).machine, now: call.host.timekeeper.wallNanoseconds)
    }
}

/// Timers as they are when the reply is written, at once.
package struct TimersReply: ReplyValue {
    let machine: AnyMachine
    /// The wall clock's time.
    let now: Int64

    package func write(to reply: ReplyBuffer) {
        Maps(of: machine.ownTimers.filter { $0.remaining != nil }, write).write(to: reply)
    }

    private func write(_ timer: StateTimer, to map: inout MapWriter) {
        map.field("name", timer.plan.name)
        map.field("kind", timer.plan.kind.rawValue)
        map.field("remaining_ms", timer.remaining?.milliseconds ?? 0)
        map.field("period_ms", timer.plan.kind == .pendulum ? timer.plan.length.milliseconds : nil)
        map.field("event", timer.plan.messageName)
        map.field("paused", timer.isPaused || machine.isFrozen)
        map.field("generation", Int(timer.generation))
        map.field("length_ms", timer.plan.length.milliseconds)
        map.field("deadline_ms", timer.wallDeadline(from: now))
    }
}
