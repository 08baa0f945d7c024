// CLOCK: the daemon's clock.

import RESP

extension Command {
    package static let clock: Command = Command(
        name: "CLOCK", group: .time, needs: .reads(.nothing),
        syntax: "CLOCK",
        summary: "Shows the clock, system or virtual, and its time in ms since it started.",
        examples: ["CLOCK"],
        words: 1...1
    ) { call throws(CommandError) in
        var map = call.reply.beginMap()
        map.field("clock", call.host.virtualClock == nil ? "system" : "virtual")
        map.field("now_ms", Int(call.host.timekeeper.now.nanoseconds / 1_000_000))
        map.end()
    }
}
