// A countdown in virtual time, with a length that is computed.

import Timers

let seconds = Double(CommandLine.arguments.count) + 0.5
let clock = VirtualClock()
let keeper = Timekeeper(clock)
let host = TimerHost(on: keeper)
let tea = try Countdown(.countdown("tea", .seconds(seconds)), on: host.clock)
print(keeper.advance(clock, by: .seconds(1)), keeper.advance(clock, by: .seconds(0.5)), keeper.lateness.percentile(99))
print(tea.remaining == nil)
