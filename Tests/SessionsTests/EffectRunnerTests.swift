// The runner of effects, tested with a host of its own: the test decides when it runs, what a turn has time for, and what fails.

import GameFlow
import Memory
import TestSupport
import Testing
import Timers
@testable import Sessions

/// Sends what it is told to, and knows none of the daemon's reports.
private struct Caller: TypedFlow {
    enum State: FlowState { case calling(outgoing: Outbox) }
    enum Event: Sendable { case call(String) }

    static let name = "caller"
    static let events = Catalogue<Event>(
        [
            EventSpec("call", from: .anyone, samples: [.call("")]) { payload throws(FlowError) in
                .call(payload?.json.text ?? "")
            }
        ])
    static let timers: [TimerPlan] = []
    let clock: FlowClock

    static func configure(_ definition: inout FlowDefinition<Caller>) {
        definition.isChecked = false
        definition.hasEffects = true
    }

    func initialState() -> State { .calling(outgoing: Outbox()) }

    func transition(from _: State, on event: Event) throws(FlowError) -> Transition {
        {
            switch event {
            case .call(let name): .calling(outgoing: Outbox(effects: [.send(event: "wasHit", data: nil, to: name)]))
            }
        }
    }

    func outbox(of state: State) -> Outbox? {
        switch state {
        case .calling(let outgoing): outgoing
        }
    }
}

/// Keeps sessions of postmen in virtual time, and writes down what the runner asks of it.
private final class TestHost: EffectHost {
    let sessions: Sessions
    var runner: EffectRunner { sessions.effects }
    /// How many more effects fit into the turn; nil for any number.
    var budget: Int?
    var isRecording = true
    /// Why no child can begin; nil if each can.
    var refusal: SessionError?
    var setAside: [String: SessionError] = [:]
    private(set) var asked: [String] = []
    private(set) var images: [String] = []
    private(set) var complaints: [String] = []

    init() {
        sessions = Sessions(on: Timekeeper(VirtualClock()), flows: [.flow(EffectFlow.self), .flow(Caller.self)])
        runner.attach(to: self)
    }

    // MARK: As a host

    var isRunningEffects: Bool {
        get { sessions.isRunningEffects }
        set { sessions.isRunningEffects = newValue }
    }
    var flightRecorder: FlightRecorder? { nil }

    var hasEffectBudget: Bool {
        guard let left = budget else { return true }
        budget = max(0, left - 1)
        return left > 0
    }

    func find(_ name: String) -> Session? { sessions.find(name) }
    func session(_ reference: SessionReference) -> Session? { sessions.session(reference) }
    func reference(to machine: AnyMachine) -> SessionReference { sessions.reference(to: machine) }
    func setAsideError(_ name: String) -> SessionError? { setAside[name] }
    func actor(named name: String) -> ActorNumber { sessions.actor(named: name) }

    func beginChild(_ name: String, _ flow: String, _ context: JSON, _ link: ParentLink) throws(SessionError) {
        asked.append("begin \(name)")
        if let refusal { throw refusal }
        try sessions.beginChild(name, flow, context, link)
    }

    func didBecomeChild(_ session: SessionReference) { asked.append("child \(sessions.session(session)?.name ?? "?")") }

    func drop(_ session: Session, by parent: String) {
        asked.append("drop \(session.name) by \(parent)")
        sessions.drop(session, by: parent)
    }

    func dropSetAside(_ name: String, by parent: String) { asked.append("drop \(name), set aside, by \(parent)") }
    func recordImage(of machine: AnyMachine) { images.append(sessions.name(of: machine)) }
    func sessionWillReceive(_ machine: AnyMachine) { asked.append("event for \(sessions.name(of: machine))") }
    func messagesDidStop(_ sentence: String) { complaints.append(sentence) }

    // MARK: For tests

    func begin(_ names: String..., flow: String = "effects") throws {
        let kind = try #require(sessions.flow(named: flow))
        for name in names { _ = try sessions.begin(ByteString(name), kind, nil, from: .network) }
    }

    /// Sends an event from outside. What it asks for waits for the runner.
    func send(_ event: String, _ payload: JSON? = nil, to name: String) throws {
        try machine(name).send(named: event, payload: payload.map { Payload($0) }, from: .network)
    }

    /// Makes a session request these effects.
    func ask(_ name: String, _ wishes: JSON...) throws { try send("perform", .array(wishes), to: name) }

    func run() -> [String] {
        asked = []
        runner.run()
        return asked
    }

    func machine(_ name: String) throws -> AnyMachine { try #require(sessions[name]) }
    func reference(_ name: String) throws -> SessionReference { reference(to: try machine(name)) }
    func hits(_ name: String) throws -> Int? { try machine(name).stateData()["record"]?["hits"]?.integer }

    /// The daemon's reports to this session.
    func heard(_ name: String) throws -> [String] {
        guard case .array(let heard)? = try machine(name).stateData()["record"]?["received"] else { return [] }
        return heard.compactMap(\.text).filter { !$0.hasPrefix("I am ") }
    }

    /// The senders of the events in its history, the newest first.
    func actors(_ name: String) -> [String] {
        sessions.find(name).map { session in session.history(9).compactMap { session.actor(of: $0) } } ?? []
    }
}

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
