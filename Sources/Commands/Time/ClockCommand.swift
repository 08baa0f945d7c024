// CLOCK: the daemon's clock.

import RESP
import Timers

extension Command {
    package static let clock = Command(
        name: "CLOCK", group: .time, needs: .reads(.nothing),
        summary: "Shows the clock, system or virtual, and its time in ms since it started.",
        examples: ["CLOCK"],
        ClockRequest.self)
}

package struct ClockRequest: PromptRequest {
    package init() {}

    package static let form = CommandForm { ClockRequest() }
    package static var command: Command { .clock }

    package func run(_ call: Call) throws(CommandError) -> ClockReply {
        ClockReply(isVirtual: call.host.virtualClock != nil, now: call.host.timekeeper.now)
    }
}

package struct ClockReply: ReplyValue {
    let isVirtual: Bool
    let now: Instant

    package func write(to reply: some ReplyWriter) {
        var map = reply.beginMap()
        map.field("clock", isVirtual ? "virtual" : "system")
        map.field("now_ms", Int(now.nanoseconds / 1_000_000))
        map.end()
    }
}
