// A flow for tests of messages between sessions: its events list the effects to perform.

import GameFlow
import Timers

/// Performs the effects in its events, counts hits, and records the events from other sessions.
package struct EffectFlow: TypedFlow {
    package struct Context: SessionContext {
        /// Effects of the initial state, as JSON.
        var initialEffects = ""
        package init() {}
    }

    /// The data of every state.
    package struct Record: Codable {
        var outgoing = Outbox()
        var children: [String] = []
        /// Nil until it has begun a child.
        var stages: Stages?
        /// The number of `perform` and `hit` events, and of hits received.
        var (requests, hits) = (0, 0)
        var received: [String] = []
    }

    /// The last stage of each child. An object, since a stage changes without a step.
    package final class Stages: Codable {
        var names: [String: String] = [:]
    }

    package enum State: FlowState {
        case working(record: Record)
        case restless(record: Record, rest: Countdown)
        case done(record: Record)
    }

    package enum Event: Sendable {
        /// A list of effects in their saved form, and of events to emit and lines to log.
        case perform(JSON)
        /// Hits a session and counts the attempt.
        case hit(String)
        case wasHit
        /// Sends `bounce` to the named session, with the sender's name.
        case bounce(String)
        /// Sends `bounceLater` in the same way, after a timer of zero length.
        case bounceLater(String)
        case rested
        case finish(JSON)
        case refuse
        case received(String, JSON)
    }

    package static let name = "effects"
    package static let rest = TimerPlan.countdown("rest", .zero, message: Event.rested)
    package static let timers = [rest]
    package static let events = Catalogue<Event>(
        [
            json("perform") { .perform($0) }, text("hit") { .hit($0) }, .plain(.wasHit, from: .anyone),
            text("bounce") { .bounce($0) },
            text("bounceLater") { .bounceLater($0) }, .timer(.rested), json("finish") { .finish($0) },
            .plain(.refuse, from: .anyone),
        ] + ["error.communication", "done.invoke.kid", "error.invoke.kid"].map { name in json(name) { .received(name, $0) } })

    package static func configure(_ definition: inout FlowDefinition<EffectFlow>) {
        // The samples of its events are placeholders.
        definition.isChecked = false
        definition.hasEffects = true
    }

    package let clock: FlowClock
    package let context: Context

    package init(clock: FlowClock, context: Context) { (self.clock, self.context) = (clock, context) }

    package func initialState() throws -> State {
        var record = Record()
        record.received = ["I am \(clock.sessionName) of \(clock.parentName ?? "nobody")"]
        if !context.initialEffects.isEmpty { try record.perform(JSON(parsing: context.initialEffects)) }
        return record.children == ["!"] ? .done(record: record) : .working(record: record)
    }

    package func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        if case .refuse = event { throw .refused("it does not want to") }
        return {
            var record = self.record(of: state)
            record.outgoing = Outbox(effects: record.outgoing.effects)
            switch event {
            case .perform(let effects): try record.perform(effects)
            case .hit(let name):
                record.requests += 1
                record.outgoing.effects.append(.send(event: "wasHit", data: nil, to: name))
            case .wasHit: record.hits += 1
            case .bounce(let name):
                record.hits += 1
                record.outgoing.effects.append(.send(event: "bounce", data: .string(clock.sessionName), to: name))
            case .bounceLater(let name):
                record.hits += 1
                record.received = [name]
                return .restless(record: record, rest: try Countdown(Self.rest, on: clock))
            case .rested:
                record.outgoing.effects.append(
                    .send(event: "bounceLater", data: .string(clock.sessionName), to: record.received[0]))
            case .finish(let result):
                record.received = [result.description]
                return .done(record: record)
            case .refuse: break
            case .received(let name, let data): try record.receive(name, data)
            }
            return .working(record: record)
        }
    }

    package func isFinal(_ state: State) -> Bool {
        switch state {
        case .done: true
        case .working, .restless: false
        }
    }

    package func outbox(of state: State) -> Outbox? { record(of: state).outgoing }

    package func children(of state: State) -> [ChildSession] {
        let record = record(of: state)
        return record.children.map { ChildSession($0, record.stages?.names[$0].flatMap(ChildSession.Stage.init)) }
    }

    package func setStage(_ stage: ChildSession.Stage?, ofChild id: String, in state: State) {
        record(of: state).stages?.names[id] = stage?.rawValue
    }

    package func output(of state: State) -> JSON? { record(of: state).received.first.flatMap { try? JSON(parsing: $0) } }

    private func record(of state: State) -> Record {
        switch state {
        case .working(let record), .restless(let record, _), .done(let record): record
        }
    }

    private static func json(_ name: String, _ event: @escaping @Sendable (JSON) -> Event) -> EventSpec<Event> {
        EventSpec(name, from: .anyone, samples: [event(.null)]) { payload throws(FlowError) in
            event(payload?.json ?? .null)
        }
    }

    private static func text(_ name: String, _ event: @escaping @Sendable (String) -> Event) -> EventSpec<Event> {
        EventSpec(name, from: .anyone, samples: [event("")]) { payload throws(FlowError) in event(payload?.json.text ?? "") }
    }
}

extension EffectFlow.Record {
    fileprivate mutating func perform(_ json: JSON) throws {
        guard case .array(let list) = json else { throw RestorationError("effects are a list") }
        requests += 1
        for item in list {
            if let event = item["emit"]?.text {
                outgoing.emissions.append(Emission(event: event, data: item["data"]))
            } else if let line = item["log"]?.text {
                outgoing.logs.append(line)
            } else if item["trap"] != nil {
                fatalError("on purpose")
            } else if item["final"] != nil {
                children = ["!"]
            } else if item["forgetStages"] != nil {
                stages = nil
            } else {
                try append(Effect(json: item))
            }
        }
    }

    private mutating func append(_ effect: Effect) {
        outgoing.effects.append(effect)
        switch effect {
        case .send: break
        case .begin(let child, _, _):
            children.append(child)
            let stages = stages ?? EffectFlow.Stages()
            stages.names[child] = ChildSession.Stage.runs.rawValue
            self.stages = stages
        case .drop(let child): children.removeAll { $0 == child }
        }
    }

    fileprivate mutating func receive(_ event: String, _ data: JSON) throws {
        received.append("\(event) \(data)")
        children.removeAll { event == "error.invoke.\($0)" && stages?.names[$0] != ChildSession.Stage.lost.rawValue }
    }
}
