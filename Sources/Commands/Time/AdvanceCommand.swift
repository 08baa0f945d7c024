// ADVANCE: advances virtual time.

import RESP
import Texts
import Timers

extension Command {
    package static let advance = Command(
        name: "ADVANCE", group: .time, needs: .masters(.everything),
        summary: "Advances virtual time and fires every timer on the way. Replies with the number of fired timers.",
        details: """
            Every timer fires at its own instant, in order, as in real time. Requires --time virtual, for tests, and a \
            client that is a master of all sessions or a guest. A long ADVANCE continues over several turns: other clients \
            are served meanwhile, at the instant that has been reached, and another ADVANCE starts when this one has ended. \
            Within MULTI it stops after some thousand timers, or 10 ms of timers with expressions, and the error has the remaining \
            time.
            """,
        examples: ["ADVANCE 29.999s", "ADVANCE 10m"],
        flags: [.changes],
        Form(AdvanceRequest.self))
}

package struct AdvanceRequest: CommandRequest {
    let duration: Duration
    /// As it was given.
    let text: String

    package static let form = CommandForm(
        .required("duration", .duration, "how much: 10s, 1m30s, or milliseconds", member: "by")
    ) { AdvanceRequest(duration: $0.duration, text: $0.text.shortened) }
    package static var command: Command { .advance }

    /// Returns the number of timers that have fired.
    package func answer(to call: Call) throws(CommandError) -> CommandAnswer<Int> {
        guard let clock = call.host.virtualClock else {
            throw CommandError(.generic, "ADVANCE needs virtual time; start gamed with --time virtual")
        }
        guard duration >= .zero else { throw CommandError(.generic, "time cannot go backwards: '\(text)' is negative") }
        let end = call.host.timekeeper.now.duration(to: .last)
        guard duration <= end else {
            throw CommandError(.generic, "time ends in \(end.milliseconds) ms, and '\(text)' is longer")
        }
        return try call.host.advances.begin(clock, by: duration, for: call.client)
    }
}

extension Command {
    package static let clock = Command(
        name: "CLOCK", group: .time, needs: .reads(.nothing),
        summary: "Shows the clock, system or virtual, and its time in ms since it started.",
        examples: ["CLOCK"],
        Form(ClockRequest.self))
}

package struct ClockRequest: PromptRequest {
    package init() {}

    package static let form = CommandForm { ClockRequest() }
    package static var command: Command { .clock }

    package func run(_ call: Call) throws(CommandError) -> ClockReply {
        ClockReply(isVirtual: call.host.virtualClock != nil, now: call.host.timekeeper.now)
    }
}

package struct ClockReply: MapValue {
    let isVirtual: Bool
    let now: Instant

    package func write(to map: inout MapWriter) {
        map.field("clock", isVirtual ? "virtual" : "system")
        map.field("now_ms", Int(now.nanoseconds / 1_000_000))
    }
}
