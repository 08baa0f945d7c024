// TIMERS, STATE and FORCE: the remaining time of timers.

import BuiltInFlows
import GameFlow
import Posix
import RESP
import TestSupport
import Testing
import Timers
@testable import Commands

@Suite struct `The remaining time of a timer` {
    @Test func `TIMERS, VIEW and EXTEND leave out the timers of a step that waits for a hook`() throws {
        // The hook waits until the executor runs.
        let (kind, executor) = (FlowKind.flow(Turns.self) { $0.beforeAsync { _, _ in } }, ManualExecutor())
        kind.executor = executor
        let host = Host(on: Timekeeper(VirtualClock()), flows: [kind], commands: .all)
        let client = LocalClient(of: host)
        func ask(_ line: String) -> Answer {
            Answer(reply: client.run(line.split(separator: " ").map(String.init)).last ?? .null)
        }
        _ = ask("NEW hall turns")
        _ = ask("ADVANCE 20s")
        _ = ask("SEND hall pass")
        #expect(ask("TIMERS hall").list.map { $0["remaining_ms"]?.integer } == [10_000])
        #expect(ask("EXTEND hall turn 5s").integer == 15_000)
        let view = try JSON(parsing: try #require(ask("VIEW hall").text))
        guard case .array(let timers)? = view["timers"] else { Issue.record("\(view)"); return }
        #expect(timers.map { $0["remaining_ms"] } == [15_000])
        executor.run()
        #expect(ask("STATE hall")["state"]?.text == "second")
        #expect(ask("TIMERS hall").list.map { $0["remaining_ms"]?.integer } == [30_000])
    }

    @Test func `TIMERS shows a timer's remaining time, length and deadline, which is null while paused`() throws {
        let conversation = Conversation()
        _ = try conversation.ask("NEW hall turns")
        _ = try conversation.ask("ADVANCE 10s")
        func timer() throws -> Answer { try #require(try conversation.ask("TIMERS hall").list.first) }
        let before = Int(TurnClock.now().wallNanoseconds / 1_000_000)
        let running = try timer()
        let after = Int(TurnClock.now().wallNanoseconds / 1_000_000)
        #expect(running["remaining_ms"]?.integer == 20_000 && running["length_ms"]?.integer == 30_000)
        let deadline = try #require(running["deadline_ms"]?.integer)
        #expect((before + 20_000...after + 20_001).contains(deadline))

        _ = try conversation.ask("PAUSE hall turn")
        #expect(try timer()["deadline_ms"]?.isNull == true && timer()["length_ms"]?.integer == 30_000)
        _ = try conversation.ask("RESUME hall turn")
        _ = try conversation.ask("PAUSE hall")
        #expect(try timer()["deadline_ms"]?.isNull == true && timer()["remaining_ms"]?.integer == 20_000)
    }

    @Test func `A timer's remaining time is shown in milliseconds and accepted in milliseconds or nanoseconds`() throws {
        let conversation = Conversation()
        let given = #"NEW hall turns "{\"state\":\"second\",\"turn\":{\"remaining_ns\":5000000001}}""#
        #expect(try conversation.ask(given).text == "second")
        #expect(try conversation.ask("STATE hall")["data"]?.text?.contains(#""remaining_ms":5001,"#) == true)
        #expect(
            try conversation.ask("HISTORY hall").list.first?["payload"]?.text
                == #"{"state":"second","turn":{"remaining_ms":5001}}"#)
        #expect(try conversation.ask(#"FORCE hall first "{\"turn\":{\"remaining_ms\":7000}}""#).text == "first")
        #expect(try conversation.ask("TIMERS hall").list.first?["remaining_ms"]?.integer == 7_000)
        #expect(try conversation.ask("HISTORY hall").list.first?["payload"]?.text == #"{"turn":{"remaining_ms":7000}}"#)
    }

    @Test func `FORCE with the data that STATE shows keeps a timer's remaining time`() throws {
        let conversation = Conversation()
        _ = try conversation.ask("NEW hall turns")
        _ = try conversation.ask("ADVANCE 10s")
        let data = try #require(try conversation.ask("STATE hall")["data"]?.text)
        #expect(
            try conversation.ask(Array("FORCE".utf8), Array("hall".utf8), Array("second".utf8), Array(data.utf8)).text
                == "second")
        #expect(try conversation.ask("TIMERS hall").list.first?["remaining_ms"]?.integer == 20_000)
    }
}
