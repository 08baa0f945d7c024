// The runner of effects, tested with a host of its own.

import GameFlow
import Memory
import TestSupport
import Testing
import Timers
@testable import Sessions

@Suite struct `The runner of effects` {
    private let host: TestHost
    private var runner: EffectRunner { host.runner }
    private static let kid: JSON = ["begin": "kid", "flow": "effects", "context": [:]]

    init() throws {
        host = TestHost()
        try host.begin("ann", "bob", "eve")
    }

    // MARK: Events

    @Test func `Events are delivered after the step that sends them, those of one step before those that they lead to`() throws
    {
        try host.ask("ann", ["send": "hit", "to": "bob", "data": "eve"], ["send": "wasHit", "to": "eve"])
        #expect(try host.hits("eve") == 0 && host.machine("ann").outbox?.effectCount == 2)
        #expect(host.run() == ["event for bob", "event for eve", "event for eve"])
        #expect(host.actors("eve") == ["bob", "ann"] && host.actors("bob") == ["ann"])
        #expect(try host.machine("ann").outbox?.isEmpty == true)
        #expect(runner.counts.sent == 3 && runner.counts.failed == 0)
        #expect(host.run() == [], "each is delivered once")
    }

    @Test func `Effects without time in their turn stay in their outbox and run in a later turn, in order`() throws {
        try host.ask("ann", ["send": "hit", "to": "bob", "data": "eve"], ["send": "wasHit", "to": "eve"])
        host.budget = 1
        #expect(host.run() == ["event for bob"])
        #expect(try host.machine("ann").outbox?.effectCount == 1 && runner.timekeeper.needsFollowUp)
        host.budget = nil
        #expect(host.run() == ["event for eve", "event for eve"])
        #expect(host.actors("eve") == ["bob", "ann"] && !runner.timekeeper.needsFollowUp)
    }

    @Test func `Each sender is recorded once for all effects of a run, and not at all if nothing is recorded`() throws {
        for isRecording in [true, false] {
            host.isRecording = isRecording
            try host.ask("ann", ["send": "wasHit", "to": "eve"], ["send": "wasHit", "to": "bob"])
            try host.ask("bob", ["send": "wasHit", "to": "ann"])
            _ = host.run()
            #expect(host.images == ["ann", "bob"])
        }
    }

    @Test func `One step leads to a limited number of events, and the next step has a limit of its own`() throws {
        for round in 1...2 {
            try host.send("bounce", "bob", to: "ann")
            _ = host.run()
            #expect(runner.counts.sent == round * EffectRunner.maxMessages && runner.counts.failed == round)
            #expect(host.complaints.count == round)
        }
        let last = (host.sessions.find("ann")?.history(1) ?? []) + (host.sessions.find("bob")?.history(1) ?? [])
        #expect(last.compactMap(\.refused?.code) == [.limit])
        #expect(host.complaints.last?.contains("they seem to form a cycle") == true)
        #expect(try host.machine("ann").outbox?.isEmpty == true && host.machine("bob").outbox?.isEmpty == true)
    }

    @Test func `A session that a client has created is not dropped as the child that could not begin under its name`() throws {
        try host.begin("ann/kid")
        try host.ask("ann", Self.kid, ["drop": "kid"])
        #expect(host.run() == ["begin ann/kid"])
        #expect(host.sessions["ann/kid"] != nil)
        try host.begin("phone", flow: "caller")
        for wish in [[Self.kid], [Self.kid, ["drop": "kid"]]] {
            try host.send("perform", .array(wish), to: "phone")
            _ = host.run()
        }
        #expect(host.sessions["phone/kid"] == nil, "a second one could not begin, and the first is its child")
    }

    @Test func `An event that cannot be delivered is reported to its sender, with the reason`() throws {
        host.setAside["out"] = SessionError(.setAside, "'out' is set aside")
        try host.ask("ann", ["send": "x", "to": "nobody"], ["send": "x", "to": "out"], ["send": "dance", "to": "bob"])
        #expect(host.run() == [])
        let heard = try host.heard("ann")
        let sentences = ["there is no session 'nobody'", "'out' is set aside", "'effects' has no event 'dance'"]
        #expect(heard.count == 3, "\(heard)")
        for (line, sentence) in zip(heard, sentences) {
            #expect(line.hasPrefix("error.communication ") && line.contains(sentence), "\(line)")
        }
        #expect(host.actors("ann").first == "the daemon")
        #expect(runner.counts.sent == 0 && runner.counts.failed == 3)
    }

    @Test func `An event that its receiver refuses is in the receiver's history, and counts as sent`() throws {
        try host.ask("ann", ["send": "refuse", "to": "bob"])
        #expect(host.run() == ["event for bob"])
        let last = try #require(host.sessions.find("bob")?.history(1).first)
        #expect(last.isRefused && last.cause.source == .orchestrator)
        #expect(try host.heard("ann") == [] && runner.counts.sent == 1)
    }

    @Test func `A report that a session does not know is in its history, with the problem as the reason`() throws {
        try host.begin("phone", flow: "caller")
        try host.send("call", "nobody", to: "phone")
        #expect(host.run() == [])
        let refused = try #require(host.sessions.find("phone")?.history(1).first?.refused)
        #expect(refused.event == "error.communication" && refused.code == .noSession)
        #expect(refused.facts == .message("there is no session 'nobody'"))
    }

    // MARK: Children

    @Test func `A child begins with its name below its parent's, and is linked to it`() throws {
        try host.ask("ann", Self.kid)
        #expect(host.sessions["ann/kid"] == nil)
        #expect(host.run() == ["begin ann/kid"])
        let (parent, child) = (try host.reference("ann"), try host.reference("ann/kid"))
        let (link, invocation) = (runner.family.link(of: child), runner.family.invocation(of: "kid", by: parent))
        #expect(link?.parent == "ann" && link?.id == "kid" && link?.isDone == false)
        #expect(invocation != nil && link?.invocation == invocation, "each knows the other")
    }

    @Test func `Children are at most 8 deep below their first ancestor, whatever its name is`() throws {
        for root in ["zoe", "house/room"] {
            try host.begin(root)
            var name = root
            for _ in 1...9 {
                try host.ask(name, Self.kid)
                _ = host.run()
                if host.sessions[name + "/kid"] != nil { name += "/kid" }
            }
            #expect(name == root + String(repeating: "/kid", count: 8))
            #expect(try host.heard(name).first?.contains("9 sessions deep") == true)
        }
    }

    @Test func `A child's end is reported to its parent once, with its output`() throws {
        try host.ask("ann", Self.kid)
        _ = host.run()
        try host.send("finish", ["points": 3], to: "ann/kid")
        #expect(try host.heard("ann") == [])
        _ = host.run()
        try host.send("wasHit", to: "ann/kid")
        _ = host.run()
        #expect(try host.heard("ann") == [#"done.invoke.kid {"points":3}"#])
        #expect(host.actors("ann").first == "ann/kid")
    }

    @Test func `A child's end reaches its parent even beyond the limit of messages from one step`() throws {
        try host.ask("ann", Self.kid)
        _ = host.run()
        let hits: [JSON] = Array(repeating: ["send": "wasHit", "to": "bob"], count: EffectRunner.maxMessages - 1)
        try host.send("perform", .array(hits + [["send": "finish", "data": 1, "to": "ann/kid"]]), to: "eve")
        _ = host.run()
        #expect(runner.counts.sent == EffectRunner.maxMessages && host.complaints == [])
        #expect(try host.heard("ann") == ["done.invoke.kid 1"])
    }

    @Test func `A child that cannot begin is reported to its parent, with the reason`() throws {
        host.refusal = SessionError(.limit, "enough")
        try host.ask("ann", Self.kid)
        #expect(host.run() == ["begin ann/kid"])
        #expect(try host.heard("ann") == [#"error.invoke.kid {"message":"enough"}"#])
        #expect(try host.machine("ann").children == [])
    }

    @Test func `A child that cannot begin because of the limit of messages from one step is reported to its parent`() throws {
        let hits: [JSON] = Array(repeating: ["send": "wasHit", "to": "bob"], count: EffectRunner.maxMessages)
        try host.send("perform", .array(hits + [Self.kid]), to: "ann")
        #expect(!host.run().contains("begin ann/kid"))
        #expect(try host.heard("ann").count == 1 && host.machine("ann").children == [])
        #expect(try host.heard("ann").first?.contains("from 'ann' to 'kid'") == true)
        #expect(host.complaints.count == 1 && runner.counts.failed == 1)
    }

    @Test func `A parent that begins its child again at each report that it cannot begin comes to rest`() throws {
        host.sessions.host(.flow(Stubborn.self))
        try host.begin("stubborn", flow: "stubborn")
        #expect(host.run().count == EffectRunner.maxMessages)
        #expect(try host.machine("stubborn").version == UInt32(2 * EffectRunner.maxMessages))
        #expect(host.complaints.count == 1 && !runner.timekeeper.needsFollowUp)
    }

    /// The event and the code of a session's last entry, which is a report that its flow does not know.
    private func lastReport(to name: String) throws -> Refused {
        try #require(host.sessions.find(name)?.history(1).first?.refused)
    }

    @Test func `A flow that lists no children gets an error for each one that cannot begin`() throws {
        try host.begin("phone", flow: "caller")
        try host.ask("phone", ["begin": "kid", "flow": "nonsense", "context": [:]])
        _ = host.run()
        let unknown = try lastReport(to: "phone")
        #expect(unknown.event == "error.invoke.kid" && unknown.code == .noFlow)
        try host.ask("phone", Self.kid)
        _ = host.run()
        try host.ask("phone", Self.kid)
        _ = host.run()
        let taken = try lastReport(to: "phone")
        #expect(taken.event == "error.invoke.kid" && taken.code == .exists)
        try host.send("finish", 1, to: "phone/kid")
        _ = host.run()
        #expect(try lastReport(to: "phone").event == "done.invoke.kid", "the child that runs stays its own")
        for number in 1...Family.maxChildren {
            try host.ask("phone", ["begin": .string("kid\(number)"), "flow": "effects", "context": [:]])
            _ = host.run()
        }
        let last = try lastReport(to: "phone")
        #expect(last.event == "error.invoke.kid\(Family.maxChildren)" && last.code == .limit)
    }

    @Test func `A child that cannot begin is not reported if a later effect of the same step drops it`() throws {
        host.refusal = SessionError(.limit, "enough")
        try host.begin("phone", flow: "caller")
        try host.ask("phone", Self.kid, ["drop": "kid"])
        #expect(host.run() == ["begin phone/kid", "drop phone/kid, set aside, by phone"])
        #expect(host.sessions.find("phone")?.history(1).first?.isRefused == false)
    }

    @Test func `A restored parent that lists no children gets the events of its child`() throws {
        try host.begin("phone", flow: "caller")
        try host.ask("phone", Self.kid)
        _ = host.run()
        runner.evict(try host.reference("phone"))
        try host.ask("phone/kid", ["send": "call", "to": "phone", "data": "eve"])
        _ = host.run()
        #expect(try host.hits("eve") == 1)
    }

    @Test func `Events and the end of a child do not reach a parent that has replaced the child in the same run`() throws {
        try host.ask("ann", Self.kid)
        _ = host.run()
        try host.ask(
            "ann/kid", ["send": "perform", "to": "ann", "data": [["drop": "kid"], Self.kid]], ["send": "wasHit", "to": "ann"])
        try host.send("finish", 1, to: "ann/kid")
        #expect(host.run() == ["event for ann", "drop ann/kid by ann", "begin ann/kid"])
        #expect(try host.hits("ann") == 0 && host.heard("ann") == [])
        try host.ask("ann/kid", ["send": "wasHit", "to": "ann"])
        try host.send("finish", 2, to: "ann/kid")
        _ = host.run()
        #expect(try host.hits("ann") == 1 && host.heard("ann") == ["done.invoke.kid 2"])
    }

    @Test func `A child that cannot begin is not reported to a parent that no longer wants it`() throws {
        host.refusal = SessionError(.limit, "enough")
        try host.ask("ann", Self.kid, ["send": "perform", "to": "ann", "data": [["drop": "kid"]]])
        #expect(host.run() == ["begin ann/kid", "event for ann", "drop ann/kid, set aside, by ann"])
        #expect(try host.heard("ann") == [])
    }

    @Test func `A parent's drop ends its child and the child's children, and nobody else is notified`() throws {
        try host.ask("ann", Self.kid)
        _ = host.run()
        try host.ask("ann/kid", Self.kid)
        _ = host.run()
        try host.ask("ann", ["drop": "kid"])
        #expect(host.run() == ["drop ann/kid by ann", "drop ann/kid/kid by ann/kid"])
        let hasNoLinks = runner.family.isEmpty
        #expect(host.sessions["ann/kid"] == nil && host.sessions["ann/kid/kid"] == nil && hasNoLinks)
        #expect(try host.heard("ann") == [])
    }

    @Test func `A parent's drop spares a session of the child's name that has another parent`() throws {
        try host.begin("ann/room")
        try host.ask("ann", ["begin": "room/kid", "flow": "effects", "context": [:]])
        _ = host.run()
        try host.ask("ann/room", ["drop": "kid"])
        #expect(host.run() == [])
        #expect(host.sessions["ann/room/kid"] != nil)
    }

    @Test func `A child that others drop is lost for its parent`() throws {
        try host.ask("ann", Self.kid)
        _ = host.run()
        #expect(host.sessions.find("ann/kid").map { host.sessions.drop($0) } == true)
        _ = host.run()
        #expect(try host.heard("ann") == [#"error.invoke.kid {"message":"'ann/kid' was dropped"}"#])
    }

    @Test func `The drop of a child that is set aside is passed on to its host`() throws {
        try host.ask("ann", ["drop": "kid"])
        #expect(host.run() == ["drop ann/kid, set aside, by ann"])
    }

    @Test func `A restored parent finds its child again, or gets an error for one that is missing`() throws {
        try host.ask("ann", Self.kid)
        try host.ask("bob", Self.kid)
        _ = host.run()
        for name in ["ann", "ann/kid", "bob", "bob/kid"] { runner.evict(try host.reference(name)) }
        host.sessions.end(try host.reference("bob/kid").slot)
        for name in ["ann", "bob"] { host.sessions.find(name).map(runner.registerReturned) }
        runner.relinkReturned(atMost: 8)
        #expect(host.run() == [])
        let link = runner.family.link(of: try host.reference("ann/kid"))
        let invocation = runner.family.invocation(of: "kid", by: try host.reference("ann"))
        #expect(link?.parent == "ann" && invocation != nil && link?.invocation == invocation)
        #expect(try host.heard("ann") == [])
        #expect(try host.heard("bob") == [#"error.invoke.kid {"message":"'bob/kid' no longer exists"}"#])
    }
}

/// Begins its child again whenever that could not begin, which it never can.
private struct Stubborn: TypedFlow {
    enum State: FlowState { case trying(outgoing: Outbox) }
    enum Event: Sendable { case failed }

    static let events = Catalogue<Event>([
        EventSpec("error.invoke.kid", from: .anyone, samples: [.failed]) { _ throws(FlowError) in .failed }
    ])
    let clock: FlowClock

    static func configure(_ definition: inout FlowDefinition<Stubborn>) {
        definition.isChecked = false
        definition.hasEffects = true
    }

    func initialState() -> State {
        .trying(outgoing: Outbox(effects: [.begin(child: "kid", flow: "nonsense", context: [:])]))
    }

    func transition(from _: State, on event: Event) throws(FlowError) -> Transition { { initialState() } }

    func outbox(of state: State) -> Outbox? {
        switch state {
        case .trying(let outgoing): outgoing
        }
    }
}
