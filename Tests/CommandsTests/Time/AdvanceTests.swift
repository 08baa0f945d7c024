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

@Suite struct `The end of virtual time` {
    @Test func `EXTEND, ADVANCE and RESUME beyond the end of virtual time are refused`()
        throws
    {
        let conversation = Conversation { $0.advanceFirings = 1_000_000_000 }
        _ = try conversation.ask("NEW a turns")
        for _ in 1...2 { #expect(try conversation.ask("EXTEND a turn 36599d").integer ?? 0 > 0) }
        let beyond = try conversation.ask("EXTEND a turn 36599d")
        #expect(beyond.code == .generic && beyond.sentence?.contains("time ends in") == true, "\(beyond)")
        _ = try conversation.ask(
            #"NEW b game "{\"state\":\"playingLevel\",\"episode\":1,\"level\":1,\"play\":{\"seconds\":0}}""#)
        for _ in 1...2 { _ = try conversation.ask("EXTEND b timeLimit 36599d") }
        _ = try conversation.ask("PAUSE b")
        _ = try conversation.ask("PAUSE a")
        for _ in 1...2 { #expect(try conversation.ask("ADVANCE 36599d").integer == 0) }
        let end = try conversation.ask("ADVANCE 36599d")
        #expect(end.code == .generic && end.sentence?.contains("time ends in") == true, "\(end)")
        for words in ["RESUME a", "RESUME b"] {
            let answer = try conversation.ask(words)
            #expect(answer.code == .generic && answer.sentence?.contains("time ends in") == true, "\(answer)")
        }
        #expect(try conversation.ask("STATE b")["paused"]?.integer == 1)
        // After a negative EXTEND, the timers can be resumed.
        for _ in 1...2 { _ = try conversation.ask("EXTEND b timeLimit -36599d") }
        #expect(try conversation.ask("RESUME b").text == "OK")
        #expect(try conversation.ask("ADVANCE 5s").integer == 5)
    }

    @Test func `Timers that would fire beyond the end of virtual time are refused, and ADVANCE does not hang`() throws {
        let conversation = Conversation()
        for _ in 1...2 { _ = try conversation.ask("ADVANCE 36599d") }
        let refused = try conversation.ask("ADVANCE 36599d")
        let sentence = try #require(refused.sentence)
        let left = try #require(sentence.firstMatch(of: /ends in (\d+) ms/).flatMap { Int($0.1) })
        #expect(try conversation.ask("ADVANCE \(left - 10_000)").integer == 0)
        let answer = try conversation.ask("NEW a turns")
        #expect(answer.code == .badEvent && answer.sentence?.contains("time ends in") == true, "\(answer)")
        _ = try conversation.ask("NEW b game")
        #expect(try conversation.ask("SEND b displayHelp").code == .badEvent, "its countdown would never fire")
        #expect(try conversation.ask("STATE b")["state"]?.text == "introduction")
        #expect(try conversation.ask("ADVANCE 9s").integer == 0)
    }
}
