// --expire: an idle or finished session is dropped or restarted automatically.

import RESP
import TestSupport
import Testing
import Timers
@testable import Sessions

@Suite struct `A session that expires` {
    static let kiosk = """
        { id: "kiosk", initial: "start", context: { page: 1 }, events: { tap: {}, wrong: {}, end: {} }, states: {
          start: { on: { tap: "shown", wrong: { guard: "false", target: "shown" }, end: "done" } },
          shown: { on: { tap: "start" }, after: { "8s": "done" }, every: { "1s": { actions: { assign: { page: "page + 1" } } } } },
          done: { type: "final" } } }
        """

    private func venue(_ deed: ExpiryRule.Action, of flow: String = "kiosk", _ more: String...) throws -> Rehearsed {
        let daemon = try Rehearsed(Self.kiosk, Self.parent, Self.child)
        daemon.host.sessions.expire(by: [ExpiryRule(flow: flow, length: .seconds(10), action: deed)])
        return daemon
    }

    private func left(_ daemon: Rehearsed, _ name: String = "room") -> Int? {
        daemon.say(["STATE", name])["expires_ms"]?.integer
    }

    @Test func `A session that expires is dropped exactly when its time without activity has passed`() throws {
        let daemon = try venue(.drop)
        daemon.say("NEW room kiosk")
        daemon.say("NEW other turns")
        daemon.say("ADVANCE 9999ms")
        #expect((daemon.state("room"), left(daemon)) == ("start", 1))
        #expect(daemon.say("ADVANCE 1ms").integer == 1)
        #expect(daemon.say("STATE room").code == .noSession)
        #expect(daemon.history("room") == ["dropped DROP --expire", "begun NEW ann"])
        #expect(daemon.say("HISTORY room").list.first?["source"]?.text == "timer")
        #expect(daemon.state("other") == "first", "sessions of other flows do not expire")
        #expect(left(daemon, "other") == nil)
    }

    @Test func `A session that expires by restart keeps its parameters each time`() throws {
        let daemon = try venue(.restart)
        daemon.say(#"NEW room kiosk {"context":{"page":7}}"#)
        let life = try #require(daemon.life("room"))
        daemon.say("SEND room end")
        #expect(daemon.state("room") == "done")
        daemon.say("ADVANCE 10s")
        #expect((daemon.state("room"), daemon.life("room")) == ("start", life + 1))
        #expect(daemon.data("room")?.contains(#""page":7"#) == true)
        #expect(daemon.history("room") == ["begun RESTART --expire"])
        daemon.say("ADVANCE 10s")
        #expect(daemon.life("room") == life + 2)
    }

    @Test func `Activity, even a refused event, resets a session's time to expiry`() throws {
        let daemon = try venue(.drop)
        daemon.say("NEW room kiosk")
        for line in ["SEND room wrong", "SEND room nonsense", "PAUSE room", "RESUME room"] {
            daemon.say("ADVANCE 9s")
            daemon.say(line)
            #expect(left(daemon) == 10_000, "\(line)")
        }
        daemon.say("ADVANCE 10s")
        #expect(daemon.say("STATE room").code == .noSession)
    }

    @Test func `A session's own timers and commands that only read do not delay its expiry`() throws {
        let daemon = try venue(.drop)
        daemon.say(#"NEW room kiosk {"state":"shown"}"#)
        daemon.say("ADVANCE 5s")
        #expect(daemon.data("room")?.contains(#""page":6"#) == true, "it has changed by itself")
        for look in ["VIEW room", "STATE room", "EVENTS room", "HISTORY room"] { daemon.say(look) }
        #expect(left(daemon) == 5_000)
    }

    @Test func `A finished session gets its full time to expiry once, and events do not delay it`() throws {
        let daemon = try venue(.drop)
        daemon.say(#"NEW room kiosk {"state":"shown"}"#)
        daemon.say("ADVANCE 8s")
        #expect((daemon.state("room"), left(daemon)) == ("done", 10_000), "its own timer has ended it")
        daemon.say("ADVANCE 9s")
        #expect(daemon.say("SEND room tap").isError)
        #expect(left(daemon) == 1_000)
    }

    @Test func `A session's time to expiry does not run while the session is paused`() throws {
        let daemon = try venue(.drop)
        daemon.say("NEW room kiosk")
        daemon.say("ADVANCE 4s")
        daemon.say("PAUSE room")
        daemon.say("ADVANCE 1h")
        #expect(left(daemon) == 10_000)
        daemon.say("RESUME room")
        daemon.say("ADVANCE 9999ms")
        #expect(left(daemon) == 1)
    }

    @Test func `UNDROP restores an expired session with its full time to expiry`() throws {
        let daemon = try venue(.drop)
        daemon.say("NEW room kiosk")
        daemon.say("ADVANCE 10s")
        #expect(daemon.say("UNDROP room").text == "start")
        #expect(left(daemon) == 10_000)
    }

    @Test func `STATE, VIEW and NEXT show when a session expires, and TIMERS does not`() throws {
        let daemon = try venue(.restart)
        daemon.say("NEW room kiosk")
        #expect(daemon.say("STATE room")["expires"]?.text == "restart")
        #expect(daemon.say("VIEW room").text?.contains(#""expires_ms":10000,"expires":"restart","#) == true)
        let next = try #require(daemon.say("NEXT").list.first)
        #expect((next["session"]?.text, next["timer"]?.text, next["remaining_ms"]?.integer) == ("room", "--expire", 10_000))
        #expect(daemon.timers("room") == [], "it is no timer of the flow")
    }

    @Test func `A session's view is sent again when activity delays its expiry`() throws {
        let daemon = try venue(.drop)
        daemon.say("NEW room kiosk")
        daemon.say("SUBSCRIBE view:room")
        daemon.host.views.endTurn()
        daemon.say("ADVANCE 5s")
        daemon.say("SEND room wrong")
        daemon.host.views.endTurn()
        let views = daemon.pushed(by: "PING").filter { $0.contains("expires_ms") }
        #expect(views.last?.contains(#""expires_ms":10000"#) == true, "\(views)")
    }

    @Test func `An expiring session that cannot restart stays as it is and is retried later`() throws {
        let daemon = try venue(.restart)
        daemon.say("NEW room kiosk")
        final class Failures: SessionDelegate {
            var said: [String] = []
            func session(_ session: Session, didFailToRestart reason: String) { said.append("\(session.name): \(reason)") }
        }
        let failures = Failures()
        daemon.host.sessions.delegate = failures
        // The delegate is not retained.
        defer { withExtendedLifetime(failures) {} }
        let flow = try #require(daemon.host.sessions.flow(named: "kiosk"))
        daemon.host.sessions.flowTable.stopHosting(flow)
        daemon.say("ADVANCE 10s")
        #expect(failures.said.count == 1 && failures.said[0].hasPrefix("room: there is no flow 'kiosk'"), "\(failures.said)")
        #expect((daemon.state("room"), left(daemon)) == ("start", 10_000))
    }

    // MARK: Families

    static let parent = """
        { id: "parent", initial: "with", events: { leave: {} }, states: {
          with: { invoke: { id: "kid", flow: "child" }, on: { leave: "alone" } }, alone: {} } }
        """
    static let child = """
        { id: "child", initial: "a", events: { go: {} }, states: { a: { on: { go: "b" } }, b: { on: { go: "a" } } } }
        """

    @Test func `Activity of a child delays its parent's expiry, and the child expires with its parent`() throws {
        let daemon = try venue(.drop, of: "parent")
        daemon.say("NEW room parent")
        daemon.say("ADVANCE 9s")
        daemon.say("SEND room/kid go")
        #expect(left(daemon) == 10_000)
        daemon.say("ADVANCE 10s")
        #expect(daemon.say("SESSIONS").list.last?.list.isEmpty == true)
    }

    static let cycle = """
        { id: "cycle", initial: "rest", states: {
          rest: { after: { "2s": "busy" } },
          busy: { invoke: { id: "kid", flow: "brief", onDone: "rest" } } } }
        """
    static let brief = """
        { id: "brief", initial: "a", events: { go: {} }, states: { a: { after: { "1s": "b" }, on: { go: "b" } }, b: { type: "final" } } }
        """

    @Test func `Children that start and end by themselves do not delay their parent's expiry`() throws {
        let daemon = try Rehearsed(Self.cycle, Self.brief)
        daemon.host.sessions.expire(by: [ExpiryRule(flow: "cycle", length: .seconds(10), action: .drop)])
        daemon.say("NEW room cycle")
        daemon.say("ADVANCE 8500ms")
        #expect((daemon.state("room/kid"), left(daemon)) == ("a", 1_500))
        daemon.say("SEND room/kid go")
        #expect(left(daemon) == 10_000, "a client's event to the child is activity")
        daemon.say("ADVANCE 10s")
        #expect(daemon.say("STATE room").code == .noSession)
    }

    @Test func `A session created by another session does not expire`() throws {
        let daemon = try venue(.drop, of: "child")
        daemon.say("NEW room parent")
        daemon.say("NEW alone child")
        daemon.say("ADVANCE 1h")
        #expect(daemon.state("room/kid") == "a")
        #expect(left(daemon, "room/kid") == nil)
        #expect(daemon.say("STATE alone").code == .noSession)
    }
}
