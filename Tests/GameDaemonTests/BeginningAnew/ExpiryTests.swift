// --expire: a session that nobody touches, or that is over, is dropped or begun anew by itself.

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
        daemon.host.sessions.expire(by: [ExpiryRule(flow: flow, length: .seconds(10), deed: deed)])
        return daemon
    }

    private func left(_ daemon: Rehearsed, _ name: String = "room") -> Int? {
        daemon.say(["STATE", name])["expires_ms"]?.integer
    }

    @Test func `A session that expires is dropped after its time without activity, and not a moment earlier`() throws {
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

    @Test func `begins anew with its parameters, again and again`() throws {
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

    @Test func `A session that expires has all its time again after activity, even after an event that is refused`() throws {
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

    @Test func `A session's own timers, and clients that only read it, do not delay its expiry`() throws {
        let daemon = try venue(.drop)
        daemon.say(#"NEW room kiosk {"state":"shown"}"#)
        daemon.say("ADVANCE 5s")
        #expect(daemon.data("room")?.contains(#""page":6"#) == true, "it has changed by itself")
        for look in ["VIEW room", "STATE room", "EVENTS room", "HISTORY room"] { daemon.say(look) }
        #expect(left(daemon) == 5_000)
    }

    @Test func `A session that is over has all its time once, and events sent to it then do not delay its expiry`() throws {
        let daemon = try venue(.drop)
        daemon.say(#"NEW room kiosk {"state":"shown"}"#)
        daemon.say("ADVANCE 8s")
        #expect((daemon.state("room"), left(daemon)) == ("done", 10_000), "its own timer has ended it")
        daemon.say("ADVANCE 9s")
        #expect(daemon.say("SEND room tap").isError)
        #expect(left(daemon) == 1_000)
    }

    @Test func `A session that expires does not grow older while it is paused`() throws {
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

    @Test func `can be taken back once it was dropped, and then has all its time`() throws {
        let daemon = try venue(.drop)
        daemon.say("NEW room kiosk")
        daemon.say("ADVANCE 10s")
        #expect(daemon.say("UNDROP room").text == "start")
        #expect(left(daemon) == 10_000)
    }

    @Test func `says when: in STATE, in VIEW and among what comes next`() throws {
        let daemon = try venue(.restart)
        daemon.say("NEW room kiosk")
        #expect(daemon.say("STATE room")["expires"]?.text == "restart")
        #expect(daemon.say("VIEW room").text?.contains(#""expires_ms":10000,"expires":"restart","#) == true)
        let next = try #require(daemon.say("NEXT").list.first)
        #expect((next["session"]?.text, next["timer"]?.text, next["remaining_ms"]?.integer) == ("room", "--expire", 10_000))
        #expect(daemon.timers("room") == [], "it is no timer of the flow")
    }

    @Test func `The view of a session that expires is sent again after activity`() throws {
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

    @Test func `stays as it is where it cannot begin anew, and is tried again`() throws {
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

    @Test func `Children that a session begins, and that end by themselves, do not delay its expiry`() throws {
        let daemon = try Rehearsed(Self.cycle, Self.brief)
        daemon.host.sessions.expire(by: [ExpiryRule(flow: "cycle", length: .seconds(10), deed: .drop)])
        daemon.say("NEW room cycle")
        daemon.say("ADVANCE 8500ms")
        #expect((daemon.state("room/kid"), left(daemon)) == ("a", 1_500))
        daemon.say("SEND room/kid go")
        #expect(left(daemon) == 10_000, "somebody was there")
        daemon.say("ADVANCE 10s")
        #expect(daemon.say("STATE room").code == .noSession)
    }

    @Test func `A session that another session has begun does not expire`() throws {
        let daemon = try venue(.drop, of: "child")
        daemon.say("NEW room parent")
        daemon.say("NEW alone child")
        daemon.say("ADVANCE 1h")
        #expect(daemon.state("room/kid") == "a")
        #expect(left(daemon, "room/kid") == nil)
        #expect(daemon.say("STATE alone").code == .noSession)
    }
}
