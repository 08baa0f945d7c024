// Children of sessions whose flow, or their own, changes while they run.

import GameFlow
import RESP
import TestSupport
import Testing
@testable import Commands
@testable import EventLoop
@testable import GameDaemon
@testable import Sessions

@Suite struct `Children over a change of flows` {
    @Test func `RELOAD and RELOAD DRY warn of each child that the changed flow does not invoke, and RELOAD drops it`() throws {
        func parent(_ id: String) throws -> FlowKind {
            try .chart(text: "{ id: 'parent', states: { on: { invoke: { id: '\(id)', flow: 'kid' } } } }")
        }
        let daemon = try ReloadingDaemon([try parent("one"), try .chart(text: "{ id: 'kid', states: { young: {} } }")])
        daemon.say("NEW room parent")
        try daemon.stepped.turn()
        #expect(daemon.say("STATE room/one")["state"]?.text == "young")
        let warning = "session 'room' in state 'on': its child session 'one' has no counterpart in the new file and"
        let dry = daemon.reload([try parent("other")], "RELOAD DRY")
        #expect(dry == ["parent: would change, 1 session would continue", "\(warning) would be dropped"])
        try daemon.stepped.turn()
        #expect(daemon.say("STATE room/one")["state"]?.text == "young")
        daemon.files.next.kinds = [try parent("other")]
        let lines = daemon.say("RELOAD FULL").list
        #expect(lines.map { $0["text"]?.text } == ["parent: changed, 1 session continues", "\(warning) is dropped"])
        #expect(lines.first?["children_dropped"]?.integer == 1 && lines.first?["variables_lost"]?.integer == 0)
        try daemon.stepped.turn()
        #expect(daemon.say("STATE room/one").code == .noSession)
        #expect(daemon.say("STATE room/other").code == .noSession, "it begins when the state is entered next")
        #expect(daemon.reload([try parent("one")]) == ["parent: changed, 1 session continues"], "it was dropped before")
    }

    @Test func `A child whose state the changed flow makes final reports its end to its parent`() throws {
        func kid(_ state: String) throws -> FlowKind { try .chart(text: "{ id: 'kid', states: { young: { \(state) } } }") }
        let parent = """
            { id: 'parent', states: { on: { invoke: { id: 'one', flow: 'kid' }, on: { 'done.invoke.one': 'over' } }, over: {} } }
            """
        let daemon = try ReloadingDaemon([try .chart(text: parent), try kid("")])
        daemon.say("NEW room parent")
        try daemon.stepped.turn()
        #expect(
            daemon.reload([try kid("type: 'final'")])
                == ["kid: changed, 1 session is over, since the state 'young' is final in the new file"])
        try daemon.stepped.turn()
        #expect(daemon.say("STATE room")["state"]?.text == "over")
        #expect(daemon.say("STATE room/one").code == .noSession, "its parent has left the state that invoked it")
    }

    @Test func `DROP of a session that was set aside before it dropped a child also drops that child`() throws {
        func parent(_ last: String) throws -> FlowKind {
            try .chart(
                text: """
                    { id: 'parent', states: { on: { invoke: { id: 'one', flow: 'kid' }, on: { leave: '\(last)' } }, \(last): {} } }
                    """)
        }
        final class BusyTurn: SessionDelegate {
            func mayPerformEffect() -> Bool { false }
        }
        let (busy, daemon) = (
            BusyTurn(), try ReloadingDaemon([try parent("gone"), try .chart(text: "{ id: 'kid', states: { young: {} } }")])
        )
        daemon.say("NEW room parent")
        try daemon.stepped.turn()
        let host = daemon.sessions.delegate
        daemon.sessions.delegate = busy
        daemon.say("SEND room leave")
        #expect(daemon.say("STATE room/one")["state"]?.text == "young", "the step's drop is still queued")
        daemon.reload([try parent("elsewhere")])
        daemon.sessions.delegate = host
        #expect(daemon.say("STATE room").code == .setAside)
        try daemon.stepped.turn()
        #expect(daemon.say("DROP room").integer == 1)
        try daemon.stepped.turn()
        #expect(daemon.say("STATE room/one").code == .noSession)
    }
}
