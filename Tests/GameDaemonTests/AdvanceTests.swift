// ADVANCE: the range in which virtual time can be moved.

import BuiltInFlows
import RESP
import Testing
import Timers
@testable import Commands

@Suite struct `Advancing virtual time` {
    private let clock = VirtualClock()
    private let host: Host

    init() { host = Host(on: Timekeeper(clock), flows: [.flow(Turns.self)], commands: .all) }

    private func ask(_ words: String...) -> Reply? { LocalClient(of: host).run(words).last }

    @Test func `ADVANCE by a negative time is refused, and virtual time does not go back`() {
        #expect(ask("ADVANCE", "-1ms") == .error(code: .generic, text: "time cannot go backwards: '-1ms' is negative"))
        #expect(clock.now == .zero)
    }

    @Test func `ADVANCE reaches the last instant of virtual time and is refused beyond it`() {
        clock.move(to: Instant(nanoseconds: Instant.last.nanoseconds - 5_000_000))
        host.timekeeper.beginTurn()
        #expect(ask("ADVANCE", "6ms") == .error(code: .generic, text: "time ends in 5 ms, and '6ms' is longer"))
        #expect(ask("ADVANCE", "5ms") == .integer(0))
        #expect(clock.now == .last)
    }
}
