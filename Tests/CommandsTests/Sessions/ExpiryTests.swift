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

    private func host(_ action: ExpiryRule.Action, of flow: String = "kiosk", _ more: String...) throws -> HostUnderTest {
        let host = try HostUnderTest(Self.kiosk, Self.parent, Self.child)
        host.host.sessions.expire(by: [ExpiryRule(flow: flow, length: .seconds(10), action: action)])
        return host
    }

    private func timeToExpiry(_ host: HostUnderTest, _ name: String = "room") -> Int? {
        host.run(["STATE", name])["expires_ms"]?.integer
    }

    @Test func `A session that expires is dropped exactly when its time without activity has passed`() throws {
        let host = try self.host(.drop)
        host.run("NEW room kiosk")
        host.run("NEW other turns")
        host.run("ADVANCE 9999ms")
        #expect((host.state("room"), timeToExpiry(host)) == ("start", 1))
        #expect(host.run("ADVANCE 1ms").integer == 1)
        #expect(host.run("STATE room").code == .noSession)
        #expect(host.history("room") == ["dropped DROP --expire", "begun NEW ann"])
        #expect(host.run("HISTORY room").list.first?["source"]?.text == "timer")
        #expect(host.state("other") == "first", "sessions of other flows do not expire")
        #expect(timeToExpiry(host, "other") == nil)
    }

    @Test func `A session that expires by restart keeps its parameters each time`() throws {
        let host = try self.host(.restart)
        host.run(#"NEW room kiosk {"context":{"page":7}}"#)
        let life = try #require(host.life("room"))
        host.run("SEND room end")
        #expect(host.state("room") == "done")
        host.run("ADVANCE 10s")
        #expect((host.state("room"), host.life("room")) == ("start", life + 1))
        #expect(host.data("room")?.contains(#""page":7"#) == true)
        #expect(host.history("room") == ["begun RESTART --expire"])
        host.run("ADVANCE 10s")
        #expect(host.life("room") == life + 2)
    }

    @Test func `Activity, even a refused event, resets a session's time to expiry`() throws {
        let host = try self.host(.drop)
        host.run("NEW room kiosk")
        for line in ["SEND room wrong", "SEND room nonsense", "PAUSE room", "RESUME room"] {
            host.run("ADVANCE 9s")
            host.run(line)
            #expect(timeToExpiry(host) == 10_000, "\(line)")
        }
        host.run("ADVANCE 10s")
        #expect(host.run("STATE room").code == .noSession)
    }

    @Test func `A session's own timers and commands that only read do not delay its expiry`() throws {
        let host = try self.host(.drop)
        host.run(#"NEW room kiosk {"state":"shown"}"#)
        host.run("ADVANCE 5s")
        #expect(host.data("room")?.contains(#""page":6"#) == true, "it has changed by itself")
        for look in ["VIEW room", "STATE room", "EVENTS room", "HISTORY room"] { host.run(look) }
        #expect(timeToExpiry(host) == 5_000)
    }

    @Test func `A finished session gets its full time to expiry once, and events do not delay it`() throws {
        let host = try self.host(.drop)
        host.run(#"NEW room kiosk {"state":"shown"}"#)
        host.run("ADVANCE 8s")
        #expect((host.state("room"), timeToExpiry(host)) == ("done", 10_000), "its own timer has ended it")
        host.run("ADVANCE 9s")
        #expect(host.run("SEND room tap").isError)
        #expect(timeToExpiry(host) == 1_000)
    }

    @Test func `A session's time to expiry does not run while the session is paused`() throws {
        let host = try self.host(.drop)
        host.run("NEW room kiosk")
        host.run("ADVANCE 4s")
        host.run("PAUSE room")
        host.run("ADVANCE 1h")
        #expect(timeToExpiry(host) == 10_000)
        host.run("RESUME room")
        host.run("ADVANCE 9999ms")
        #expect(timeToExpiry(host) == 1)
    }

    @Test func `UNDROP restores an expired session with its full time to expiry`() throws {
        let host = try self.host(.drop)
        host.run("NEW room kiosk")
        host.run("ADVANCE 10s")
        #expect(host.run("UNDROP room").text == "start")
        #expect(timeToExpiry(host) == 10_000)
    }

    @Test func `STATE, VIEW and NEXT show when a session expires, and TIMERS does not`() throws {
        let host = try self.host(.restart)
        host.run("NEW room kiosk")
        #expect(host.run("STATE room")["expires"]?.text == "restart")
        #expect(host.run("VIEW room").text?.contains(#""expires_ms":10000,"expires":"restart","#) == true)
        let next = try #require(host.run("NEXT").list.first)
        #expect((next["session"]?.text, next["timer"]?.text, next["remaining_ms"]?.integer) == ("room", "--expire", 10_000))
        #expect(host.timers("room") == [], "it is no timer of the flow")
    }

    @Test func `A session's view is sent again when activity delays its expiry`() throws {
        let host = try self.host(.drop)
        host.run("NEW room kiosk")
        host.run("SUBSCRIBE view:room")
        host.host.subscriptions.endTurn()
        host.run("ADVANCE 5s")
        host.run("SEND room wrong")
        host.host.subscriptions.endTurn()
        let views = host.pushed(by: "PING").filter { $0.contains("expires_ms") }
        #expect(views.last?.contains(#""expires_ms":10000"#) == true, "\(views)")
    }

    @Test func `An expiring session that cannot restart stays as it is and is retried later`() throws {
        let host = try self.host(.restart)
        host.run("NEW room kiosk")
        final class Failures: SessionDelegate {
            var said: [String] = []
            func session(_ session: Session, didFailToRestart reason: String) { said.append("\(session.name): \(reason)") }
        }
        let failures = Failures()
        host.host.sessions.delegate = failures
        // The delegate is not retained.
        defer { withExtendedLifetime(failures) {} }
        let flow = try #require(host.host.sessions.flow(named: "kiosk"))
        host.host.sessions.flowTable.stopHosting(flow)
        host.run("ADVANCE 10s")
        #expect(failures.said.count == 1 && failures.said[0].hasPrefix("room: there is no flow 'kiosk'"), "\(failures.said)")
        #expect((host.state("room"), timeToExpiry(host)) == ("start", 10_000))
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
        let host = try self.host(.drop, of: "parent")
        host.run("NEW room parent")
        host.run("ADVANCE 9s")
        host.run("SEND room/kid go")
        #expect(timeToExpiry(host) == 10_000)
        host.run("ADVANCE 10s")
        #expect(host.run("SESSIONS").list.last?.list.isEmpty == true)
    }

    @Test func `A parent's view is sent again when activity of a child delays its expiry`() throws {
        let host = try self.host(.drop, of: "parent")
        host.run("NEW room parent")
        host.run("SUBSCRIBE view:room")
        host.host.subscriptions.endTurn()
        host.run("ADVANCE 9s")
        for line in ["SEND room/kid go", "SEND room/kid wrong", "PAUSE room/kid"] {
            host.run(line)
            host.host.subscriptions.endTurn()
            let views = host.pushed(by: "ADVANCE 1s")
            #expect(views.count == 1 && views[0].contains(#""expires_ms":10000"#), "\(line): \(views)")
        }
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
        let host = try HostUnderTest(Self.cycle, Self.brief)
        host.host.sessions.expire(by: [ExpiryRule(flow: "cycle", length: .seconds(10), action: .drop)])
        host.run("NEW room cycle")
        host.run("ADVANCE 8500ms")
        #expect((host.state("room/kid"), timeToExpiry(host)) == ("a", 1_500))
        host.run("SEND room/kid go")
        #expect(timeToExpiry(host) == 10_000, "a client's event to the child is activity")
        host.run("ADVANCE 10s")
        #expect(host.run("STATE room").code == .noSession)
    }

    @Test func `A session created by another session does not expire`() throws {
        let host = try self.host(.drop, of: "child")
        host.run("NEW room parent")
        host.run("NEW alone child")
        host.run("ADVANCE 1h")
        #expect(host.state("room/kid") == "a")
        #expect(timeToExpiry(host, "room/kid") == nil)
        #expect(host.run("STATE alone").code == .noSession)
    }
}
