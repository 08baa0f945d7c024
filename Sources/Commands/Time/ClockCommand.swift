// CLOCK: whose time it is.

import RESP

extension Command {
    package static let clock: Command = Command(
        name: "CLOCK", group: .time,
        syntax: "CLOCK",
        summary: "The clock, system or virtual, and its time in ms since it began.",
        examples: ["CLOCK"],
        words: 1...1
    ) { call throws(CommandError) in
        call.reply.append(mapOf: 2)
        call.reply.append(bulk: "clock")
        call.reply.append(bulk: call.host.virtualClock == nil ? "system" : "virtual")
        call.reply.append(bulk: "now_ms")
        call.reply.append(integer: Int(call.host.timekeeper.now.nanoseconds / 1_000_000))
    }
}
