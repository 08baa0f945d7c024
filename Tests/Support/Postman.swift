// A flow for tests of messages between sessions: its events list the effects to perform.

import GameFlow
import Timers

/// Performs the effects in its events, counts hits, and records the events from other sessions.
package struct Postman: TypedFlow {
    package struct Context: SessionContext {
        /// Effects of the initial state, as JSON.
        var errands = ""
        package init() {}
    }

    /// The data of every state.
    package struct Desk: Codable {
        var outgoing = Outbox()
        var children: [String] = []
        /// The number of `ask` and `hit` events, and of hits received.
        var (asked, hits) = (0, 0)
        var heard: [String] = []
    }

    package enum State: FlowState {
        case working(desk: Desk)
        case restless(desk: Desk, rest: Countdown)
        case done(desk: Desk)
    }

    package enum Event: Sendable {
        /// A list of effects in their saved form, and of events to emit and lines to log.
        case ask(JSON)
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
        case heard(String, JSON)
    }

    package static let name = "postman"
    package static let rest = TimerPlan.countdown("rest", .zero, message: Event.rested)
    package static let timers = [rest]
    package static let events = Catalogue<Event>(
        [
            json("ask") { .ask($0) }, text("hit") { .hit($0) }, .plain(.wasHit, from: .anyone), text("bounce") { .bounce($0) },
            text("bounceLater") { .bounceLater($0) }, .timer(.rested), json("finish") { .finish($0) },
            .plain(.refuse, from: .anyone),
        ] + ["error.communication", "done.invoke.kid", "error.invoke.kid"].map { name in json(name) { .heard(name, $0) } })

    package static func configure(_ definition: inout FlowDefinition<Postman>) {
        // The samples of its events are placeholders.
        definition.isChecked = false
        definition.hasOutgoing = true
    }

    package let clock: FlowClock
    package let context: Context

    package init(clock: FlowClock, context: Context) { (self.clock, self.context) = (clock, context) }

    package func initialState() throws -> State {
        var desk = Desk()
        desk.heard = ["I am \(clock.sessionName) of \(clock.parentName ?? "nobody")"]
        if !context.errands.isEmpty { try desk.ask(JSON(parsing: context.errands)) }
        return desk.children == ["!"] ? .done(desk: desk) : .working(desk: desk)
    }

    package func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        if case .refuse = event { throw .refused("it does not want to") }
        return {
            var desk = self.desk(of: state)
            desk.outgoing = Outbox(effects: desk.outgoing.effects)
            switch event {
            case .ask(let asked): try desk.ask(asked)
            case .hit(let name):
                desk.asked += 1
                desk.outgoing.effects.append(.send(event: "wasHit", data: nil, to: name))
            case .wasHit: desk.hits += 1
            case .bounce(let name):
                desk.hits += 1
                desk.outgoing.effects.append(.send(event: "bounce", data: .string(clock.sessionName), to: name))
            case .bounceLater(let name):
                desk.hits += 1
                desk.heard = [name]
                return .restless(desk: desk, rest: try Countdown(Self.rest, on: clock))
            case .rested:
                desk.outgoing.effects.append(.send(event: "bounceLater", data: .string(clock.sessionName), to: desk.heard[0]))
            case .finish(let result):
                desk.heard = [result.description]
                return .done(desk: desk)
            case .refuse: break
            case .heard(let name, let data): try desk.hear(name, data)
            }
            return .working(desk: desk)
        }
    }

    package func isFinal(_ state: State) -> Bool {
        switch state {
        case .done: true
        case .working, .restless: false
        }
    }

    package func outbox(of state: State) -> Outbox? { desk(of: state).outgoing }

    package func children(of state: State) -> [ChildSession] { desk(of: state).children.map { ChildSession($0) } }

    package func output(of state: State) -> JSON? { desk(of: state).heard.first.flatMap { try? JSON(parsing: $0) } }

    private func desk(of state: State) -> Desk {
        switch state {
        case .working(let desk), .restless(let desk, _), .done(let desk): desk
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

extension Postman.Desk {
    fileprivate mutating func ask(_ json: JSON) throws {
        guard case .array(let wishes) = json else { throw RestorationError("errands are a list") }
        asked += 1
        for wish in wishes {
            if let event = wish["emit"]?.text {
                outgoing.emissions.append(Emission(event: event, data: wish["data"]))
            } else if let line = wish["log"]?.text {
                outgoing.logs.append(line)
            } else if wish["trap"] != nil {
                fatalError("on purpose")
            } else if wish["final"] != nil {
                children = ["!"]
            } else {
                try take(Effect(json: wish))
            }
        }
    }

    private mutating func take(_ errand: Effect) {
        outgoing.effects.append(errand)
        switch errand {
        case .send: break
        case .begin(let child, _, _): children.append(child)
        case .drop(let child): children.removeAll { $0 == child }
        }
    }

    fileprivate mutating func hear(_ event: String, _ data: JSON) throws {
        heard.append("\(event) \(data)")
        if event.hasPrefix("error.invoke.") { children.removeAll { event == "error.invoke.\($0)" } }
    }
}
