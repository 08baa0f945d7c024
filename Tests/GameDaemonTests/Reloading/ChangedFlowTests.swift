// A flow's definition changes while its sessions run.

import GameFlow
import RESP
import TestSupport
import Testing
import Timers
@testable import Commands
@testable import EventLoop
@testable import GameDaemon
@testable import Logging
@testable import Sessions

@Suite struct `A flow that changes while its sessions run` {
    @Test func `A changed flow keeps its sessions' state, data, timers, version, time in state, life and seq`() throws {
        let daemon = try ReloadingDaemon()
        daemon.run("NEW room shop", "SEND room opens", "SEND room serve", "SEND room nonsense")
        daemon.stepped.daemon.timekeeper.advance(
            try #require(daemon.stepped.daemon.host.virtualClock), by: .nanoseconds(10_000_000_001))
        daemon.run("EXTEND room rest 90s", "PAUSE room bell")
        let (before, session) = (daemon.say("STATE room"), try #require(daemon.sessions.find("room")))
        let (timers, seq, life) = (session.machine.timers.map(\.remaining), session.seq, session.life)
        #expect(daemon.reload([ReloadingDaemon.new()]) == ["shop: changed, 1 session continues"])
        let after = try #require(daemon.sessions.find("room"))
        #expect(daemon.say("STATE room") == before)
        #expect(after.machine.timers.map(\.remaining) == timers && after.machine.timers.map(\.isPaused) == [false, true])
        #expect(after.seq == seq && after.life == life && after.machine.kind.name == "shop")
        #expect(daemon.say("SEND room serve").text == "open")
        #expect(daemon.say("STATE room")["data"]?.text?.contains(#""served":11"#) == true, "the new definition serves ten")
        daemon.run("RESUME room bell")
        #expect(daemon.say("ADVANCE 7s").integer == 1, "the current swing keeps its old length")
        #expect(daemon.say("ADVANCE 5s").integer == 1, "the next swing has the new definition's length")
    }

    @Test func `A timer with the restart policy continues over a reload and an UNDROP`() throws {
        func kind(_ events: String) throws -> FlowKind {
            try .chart(
                text: """
                    { id: "oven", events: { \(events) },
                      states: { on: { after: { "10m": { target: "off", restart: "restart" } } , on: { stop: "off" } }, off: {} } }
                    """)
        }
        let daemon = try ReloadingDaemon()
        daemon.reload([try kind("stop: {}")])
        daemon.run("NEW room oven", "ADVANCE 4m")
        #expect(daemon.reload([try kind("stop: {}, more: {}")]) == ["oven: changed, 1 session continues"])
        #expect(daemon.sessions.find("room")?.machine.timers.map(\.remaining) == [.seconds(360)])
        daemon.run("DROP room", "UNDROP room")
        #expect(daemon.sessions.find("room")?.machine.timers.map(\.remaining) == [.seconds(360)])
    }

    @Test func `RELOAD and RELOAD DRY count the sessions that are over, since the changed flow makes their state final`() throws
    {
        func door(_ opened: String, _ closed: String = "on: { open: 'opened' }") throws -> FlowKind {
            try .chart(text: "{ id: 'door', states: { closed: { \(closed) }, opened: { \(opened) } } }")
        }
        let daemon = try ReloadingDaemon([try door("on: { close: 'closed' }")])
        daemon.run("NEW front door", "NEW back door", "SEND back open")
        let over = "since the state 'opened' is final in the new file"
        let dry = daemon.reload([try door("type: 'final'")], "RELOAD DRY")
        #expect(dry == ["door: would change, 1 session would continue, 1 would be over, \(over)"])
        #expect(daemon.sessions.find("back")?.machine.isFinal == false)
        #expect(daemon.reload([try door("type: 'final'")]) == ["door: changed, 1 session continues, 1 is over, \(over)"])
        #expect(daemon.sessions.find("back")?.machine.isFinal == true)
        daemon.files.next.kinds = [try door("type: 'final'", "type: 'final'")]
        let facts = daemon.say("RELOAD FULL").list.first
        #expect(facts?["continued"]?.integer == 1 && facts?["ended"]?.integer == 1, "one was over before")
        let again = daemon.reload([try door("on: { close: 'closed' }")])
        #expect(again == ["door: changed, 2 sessions continue"])
    }

    @Test func `RESTART keeps the parameters that a changed flow still allows, and uses its defaults for the others`() throws {
        func oven(_ context: String, _ state: String = "") throws -> FlowKind {
            try .chart(text: "{ id: 'oven', context: { \(context) }, states: { on: { \(state) } } }")
        }
        func bounded(from minimum: Int) throws -> FlowKind {
            // The variable's value fits both bounds, so the session continues.
            try oven(
                "minutes: { type: 'integer', minimum: \(minimum), maximum: 90, default: 60 }, n: 0",
                "entry: { assign: { minutes: '80' } }")
        }
        let daemon = try ReloadingDaemon([try bounded(from: 1)])
        let continued = "oven: changed, 1 session continues"
        func parameters() -> String? { daemon.say("STATE room")["context"]?.text }
        daemon.run(#"NEW room oven {"context":{"minutes":30,"n":7}}"#)
        #expect(daemon.reload([try bounded(from: 40)]).first == continued)
        #expect(daemon.say("RESTART room").text == "on" && parameters() == #"{"minutes":60,"n":7}"#)
        #expect(daemon.reload([try oven("n: 0")]).first == continued)
        #expect(daemon.say("RESTART room").text == "on" && parameters() == #"{"n":7}"#)
        let refused = daemon.say(#"RESTART room {"context":{"minutes":30}}"#)
        #expect(refused.sentence?.contains("'oven' has no parameter 'minutes'") == true, "a client's parameters are checked")
        #expect(daemon.reload([try oven("")]).first == continued)
        #expect(daemon.say("RESTART room").text == "on" && parameters() == nil)
    }

    /// A quiz with a timer of this name.
    @Test func `A changed flow keeps old history entries with their old names and definition`() throws {
        let daemon = try ReloadingDaemon()
        daemon.run(
            "NEW room shop", "SEND room opens", "SEND room serve", "ADVANCE 7s", "SEND room count", "SEND room serve",
            "ADVANCE 1m")
        daemon.run("NEW gone shop", "SEND gone opens", "SEND gone count", "DROP gone")
        let (past, refused) = (daemon.transitions("room"), daemon.entries("room"))
        let gone = daemon.transitions("gone")
        #expect(past.contains("open count counting") && gone.contains("open count counting"))
        #expect(daemon.reload([ReloadingDaemon.new()]) == ["shop: changed, 1 session continues"])
        #expect(daemon.transitions("room") == past && daemon.transitions("gone") == gone)
        #expect(daemon.entries("room") == refused, "timers, refusals and definitions are unchanged")
        daemon.run("SEND room sweep")
        #expect(daemon.transitions("room") == past + ["closed sweep swept"])
        let definitions = daemon.history("room").map { $0["definition"]?.text }
        #expect(definitions == ["bbbb"] + Array(repeating: "aaaa", count: past.count))
        // After a change back and forth, names are kept that the definition lacks now or has again.
        daemon.reload([ReloadingDaemon.old()])
        daemon.reload([ReloadingDaemon.new()])
        #expect(daemon.transitions("room") == past + ["closed sweep swept"] && daemon.transitions("gone") == gone)
    }

    @Test func `A refusal in the history names the events that were accepted then, also after a change of their order`() throws
    {
        func door(_ events: String, closesBy timer: String) throws -> FlowKind {
            try .chart(
                text: """
                    { id: "door", events: { \(events) }, states: { shut: { on: { push: "open" }, after: {
                      "1h": { name: "\(timer)", target: "open" } } }, open: { on: { pull: "shut" } } } }
                    """)
        }
        let daemon = try ReloadingDaemon([try door("push: {}, pull: {}", closesBy: "wind")])
        daemon.run("NEW front door", "SEND front pull")
        let (before, sentence) = (daemon.history("front"), "'pull' is not valid in 'shut'; it accepts push")
        #expect(before.first?["refused"]?.text == sentence)
        #expect(
            daemon.reload([try door("pull: {}, push: {}", closesBy: "storm")]).first == "door: changed, 1 session continues")
        let after = daemon.history("front")
        #expect(after.first?["refused"]?.text == sentence, "the timer of the old file is no event for a client")
        #expect(after.first?["accepted"]?.list.map(\.text) == ["push"])
    }

    @Test func `A flow that changes too often loses its oldest history entries, and the loss is reported`() throws {
        let daemon = try ReloadingDaemon()
        final class Losses: SessionDelegate {
            var flows: [String] = []
            func historyDidLoseEntries(ofFlow name: String) { flows.append(name) }
        }
        let losses = Losses()
        daemon.sessions.delegate = losses
        // The delegate is not retained.
        defer { withExtendedLifetime(losses) {} }
        daemon.run("NEW room shop", "SEND room opens", "SEND room serve")
        let past = daemon.transitions("room")
        for _ in 0..<511 {
            daemon.reload([ReloadingDaemon.new()])
            daemon.reload([ReloadingDaemon.old()])
        }
        #expect(daemon.transitions("room") == past && losses.flows.isEmpty)
        daemon.reload([ReloadingDaemon.new()])
        #expect(daemon.transitions("room") == past && losses.flows.isEmpty)
        daemon.reload([ReloadingDaemon.old()])
        #expect(daemon.transitions("room") == [] && losses.flows == ["shop"])
        for _ in 0..<100 {
            daemon.reload([ReloadingDaemon.new()])
            daemon.say("SEND room serve")
            daemon.reload([ReloadingDaemon.old()])
        }
        let kept = daemon.transitions("room")
        #expect(kept.count == 50 && kept.allSatisfy { $0 == "open serve open" })
        #expect(daemon.history("room").allSatisfy { $0["definition"]?.text == "bbbb" })
    }

    @Test func `A changed flow keeps postponed events`() throws {
        let daemon = try ReloadingDaemon()
        daemon.run("NEW room shop", "SEND room opens", "SEND room later")
        daemon.reload([ReloadingDaemon.new()])
        #expect(daemon.say("STATE room")["postponed"]?.list.map(\.text) == ["later"])
        #expect(daemon.say("ADVANCE 60s").integer == 12)
        #expect(daemon.say("STATE room")["state"]?.text == "closed", "swept, and then closed by the postponed event")
    }

    @Test func `A changed flow keeps a paused session paused`() throws {
        let daemon = try ReloadingDaemon()
        daemon.run("NEW room shop", "SEND room opens", "PAUSE room", "ADVANCE 20s")
        daemon.reload([ReloadingDaemon.new()])
        #expect(daemon.say("STATE room")["paused"]?.reply == .boolean(true) && daemon.say("ADVANCE 1h").integer == 0)
        daemon.run("RESUME room")
        #expect(daemon.say("ADVANCE 1m").integer == 12)
    }

    @Test func `A changed flow's refusals list its own events, also for an event that was refused before`() throws {
        let daemon = try ReloadingDaemon()
        daemon.run("NEW room shop", "NEW hall shop")
        #expect(daemon.say("SEND room serve").sentence == "'serve' is not valid in 'closed'; it accepts opens")
        daemon.reload([ReloadingDaemon.new()])
        #expect(daemon.say("SEND room serve").sentence == "'serve' is not valid in 'closed'; it accepts sweep, opens")
        #expect(daemon.say("SEND room count").sentence?.contains("has no event 'count'") == true)
    }

    @Test func `A changed flow creates sessions by its new definition, and DESCRIBE shows that definition`() throws {
        let daemon = try ReloadingDaemon([ReloadingDaemon.old(), FlowKind.flow(Lone.self)])
        daemon.reload([ReloadingDaemon.new()])
        #expect(daemon.say("NEW room shop").text == "swept")
        #expect(daemon.texts(daemon.say("FLOWS")) == ["shop", "lone"])
        let told = daemon.say("DESCRIBE shop")
        #expect(daemon.texts(told["states"]) == ["swept", "open", "closed"])
        #expect(told["file"]?.text == "/flows/shop.json5" && told["definition"]?.text == "bbbb")
        #expect(daemon.say("DESCRIBE lone")["file"] == nil)
    }
}

private struct Lone: TypedFlow {
    enum State: FlowState { case alone }
    enum Event: Equatable { case stay }
    static let events = Catalogue<Event>(.plain(.stay))
    let clock: FlowClock
    func initialState() -> State { .alone }
    func transition(from state: State, on event: Event) throws(FlowError) -> Transition { { .alone } }
}

@Suite struct `A session that a changed flow does not fit` {
    /// Returns a daemon with one session that continues and one that is set aside.
    private func changed() throws -> ReloadingDaemon {
        let daemon = try ReloadingDaemon()
        daemon.run("NEW fits shop", "NEW room shop", "SEND room opens", "SEND room serve", "SEND room count", "ADVANCE 10s")
        #expect(
            daemon.reload([ReloadingDaemon.new()]) == [
                "shop: changed, 1 session continues, 1 is set aside: 'shop' has no state 'counting'; available: swept, open, closed"
            ])
        return daemon
    }

    @Test func `A session that a changed flow does not fit is set aside with a reason, and nothing of it is lost`() throws {
        let daemon = try changed()
        #expect(daemon.say("STATE room").code == .setAside)
        #expect(daemon.say("SEND room opens").sentence?.contains("'shop' has no state 'counting'") == true)
        #expect(daemon.say("NEW room shop").code == .setAside)
        #expect(daemon.sessions.count == 1 && daemon.texts(daemon.say("SESSIONS 0").list.last) == ["fits"])
        #expect(daemon.texts(daemon.say("SESSIONS 0 STATE !").list.last) == ["room"])
        #expect(daemon.transitions("room").last == "open count counting")
        #expect(daemon.say("ADVANCE 1h").integer == 0, "its timers do not fire")
        #expect(daemon.say("RETRY room").sentence?.contains("still cannot be restored: 'shop' has no state") == true)
    }

    @Test func `A set-aside session is restored when a definition fits, and its timers count its time away`() throws {
        let daemon = try changed()
        let past = daemon.transitions("room")
        daemon.run("NEW other shop", "ADVANCE 20s")
        #expect(
            daemon.reload([ReloadingDaemon.old()]).first?.hasPrefix(
                "shop: changed, 1 session continues, 1 is restored, 1 is set aside: ")
                == true)
        #expect(daemon.transitions("room") == past)
        let state = daemon.say("STATE room")
        #expect(state["state"]?.text == "counting" && state["version"]?.integer == 3 && state["since_ms"]?.integer == 30_000)
        #expect(daemon.sessions.find("room")?.machine.timers.map(\.remaining) == [.seconds(30)])
        #expect(daemon.say("ADVANCE 30s").integer == 1)
        #expect(daemon.transitions("room") == past + ["counting timeIsUp closed"])
    }

    @Test func `DROP discards a session that a changed flow does not fit, and keeps its history`() throws {
        let daemon = try changed()
        #expect(daemon.say("DROP room").integer == 1 && daemon.say("STATE room").code == .noSession)
        #expect(daemon.transitions("room").last == "counting DROP counting")
        #expect(daemon.say("NEW room shop").text == "swept")
        #expect(daemon.sessions.count == 2)
    }

    @Test func `RELOAD DRY reports sessions that a changed flow does not fit, and changes nothing`() throws {
        let daemon = try ReloadingDaemon()
        daemon.run("NEW fits shop", "NEW room shop", "SEND room opens", "SEND room count", "ADVANCE 10s")
        let before = daemon.sessions.find("room")?.machine.timers.map(\.generation)
        let dry = daemon.reload([ReloadingDaemon.new()], "RELOAD DRY")
        #expect(
            daemon.say("STATE fits")["state"]?.text == "closed"
                && daemon.sessions.find("room")?.machine.timers.map(\.generation) == before)
        let problem = "'shop' has no state 'counting'; available: swept, open, closed"
        #expect(dry == ["shop: would change, 1 session would continue, 1 would be set aside: \(problem)"])
        #expect(
            daemon.reload(gone: ["shop"], "RELOAD DRY").first?.hasPrefix("shop: would go, 2 sessions would be set aside")
                == true)
        #expect(daemon.reload([ReloadingDaemon.new()]) == ["shop: changed, 1 session continues, 1 is set aside: \(problem)"])
        #expect(
            daemon.reload([ReloadingDaemon.old()], "RELOAD DRY") == [
                "shop: would change, 1 session would continue, 1 would be restored"
            ])
        #expect(daemon.reload([ReloadingDaemon.old()]) == ["shop: changed, 1 session continues, 1 is restored"])
    }

    @Test(arguments: ["RELOAD DRY FULL", "RELOAD FULL DRY", "reload full"])
    func `RELOAD FULL reports each change as facts, with the text of its line`(command: String) throws {
        let daemon = try ReloadingDaemon()
        daemon.run("NEW fits shop", "NEW room shop", "SEND room opens", "SEND room count")
        daemon.files.next.kinds = [ReloadingDaemon.new()]
        (daemon.files.next.unchanged, daemon.files.next.warnings) = (
            ["quiz"], [FileWarning("quiz.json5:1:2", "it is never left")]
        )
        let lines = daemon.say(command).list
        #expect(lines.map { $0["about"]?.text } == ["flow", "flow", "warning"])
        #expect(lines.map { $0["flow"]?.text } == ["shop", "quiz", nil])
        #expect(lines.map { $0["change"]?.text } == ["changed", "unchanged", nil])
        #expect(lines.map { $0["continued"]?.integer } == [1, 0, nil])
        #expect(lines.map { $0["set_aside"]?.integer } == [1, 0, nil])
        #expect(lines.dropFirst().map { $0["text"]?.text } == ["quiz: unchanged", "quiz.json5:1:2: warning: it is never left"])
        #expect(daemon.say("RELOAD FULL FULL").sentence?.hasSuffix("usage: RELOAD [DRY] [FULL]") == true)
    }

    @Test func `A session whose flow was removed is set aside until the flow is hosted again`() throws {
        let daemon = try ReloadingDaemon()
        daemon.run("NEW a shop", "NEW b shop", "SEND b opens")
        #expect(daemon.reload(gone: ["shop"]) == ["shop: gone, 2 sessions are set aside: the flow 'shop' no longer exists"])
        #expect(daemon.texts(daemon.say("FLOWS")) == [] && daemon.say("NEW c shop").code == .noFlow)
        #expect(daemon.transitions("b") == ["closed NEW closed", "closed opens open"])
        #expect(daemon.reload([ReloadingDaemon.new()]) == ["shop: new, 2 sessions are restored"])
        #expect(
            daemon.transitions("b") == ["closed NEW closed", "closed opens open"] && daemon.say("SEND b serve").text == "open")
    }

    @Test func `Subscribers get a null view of a session set aside by a reload, and a view once it is restored`() throws {
        let daemon = try ReloadingDaemon()
        daemon.run("NEW room shop", "SEND room opens", "SEND room count")
        let listener = LocalClient(of: daemon.stepped.daemon.host)
        _ = listener.run(["SUBSCRIBE", "view:room"])
        try daemon.stepped.turn()
        _ = listener.takeReplies()
        daemon.reload([ReloadingDaemon.new()])
        try daemon.stepped.turn()
        #expect(listener.takeReplies().map(text) == ["null"])
        daemon.reload([ReloadingDaemon.old()])
        try daemon.stepped.turn()
        #expect(listener.takeReplies().map { text($0)?.contains(#""state":"counting""#) } == [true])
    }

    @Test func `A session in the slot of one that was dropped while it was set aside is observed`() throws {
        let daemon = try ReloadingDaemon()
        let listener = LocalClient(of: daemon.stepped.daemon.host)
        _ = listener.run(["SUBSCRIBE", "view:room"])
        daemon.run("NEW old shop", "SEND old opens", "SEND old count")
        daemon.reload([ReloadingDaemon.new()])
        daemon.run("DROP old")
        try daemon.stepped.turn()
        _ = listener.takeReplies()
        daemon.run("NEW room shop")
        try daemon.stepped.turn()
        #expect(listener.takeReplies().map { text($0)?.contains(#""session":"room""#) } == [true])
    }

    /// Returns the payload of a view's message.
    private func text(_ message: Reply) -> String? {
        if case .push(let words) = message { words.last?.text } else { nil }
    }
}
