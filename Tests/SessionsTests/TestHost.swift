// A host for the runner of effects: the test decides when it runs, what a turn has time for, and what fails.

import GameFlow
import Memory
import TestSupport
import Testing
import Timers
@testable import Sessions

/// Performs what it is told to. Lists no children, and knows none of the daemon's reports.
struct Caller: TypedFlow {
    enum State: FlowState { case calling(outgoing: Outbox) }
    enum Event: Sendable {
        case call(String)
        /// A list of effects in their saved form.
        case perform(JSON)
    }

    static let name = "caller"
    static let events = Catalogue<Event>(
        [
            EventSpec("call", from: .anyone, samples: [.call("")]) { payload throws(FlowError) in
                .call(payload?.json.text ?? "")
            },
            EventSpec("perform", from: .anyone, samples: [.perform([])]) { payload throws(FlowError) in
                .perform(payload?.json ?? [])
            },
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
            case .call(let name):
                return .calling(outgoing: Outbox(effects: [.send(event: "wasHit", data: nil, to: name)]))
            case .perform(.array(let effects)):
                return .calling(outgoing: Outbox(effects: try effects.map { try Effect(json: $0) }))
            case .perform: return .calling(outgoing: Outbox())
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
final class TestHost: EffectHost {
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
