// What the comparison asks of whatever runs charts.

import Charts
import JSON

/// A session of a chart, in virtual time.
protocol ChartUnderTest {
    /// Begins a session; throws where its first states cannot be entered.
    init(_ definition: ChartDefinition) throws
    mutating func send(_ event: String, _ data: JSON?) -> Verdict
    /// Lets time pass, with everything that happens meanwhile.
    mutating func advance(by nanoseconds: Int)
    var look: ChartLook { get }
    /// What the session asked of others since this was asked last.
    mutating func takeEffects() -> Effects
}

/// What is seen of a session.
struct ChartLook: Equatable {
    /// The paths of the active atomic states, in document order.
    var configuration: [String]
    var variables: [JSON]
    /// The timers that run, by name, with what is left of them.
    var timers: [TimerLook]
    var hasEnded: Bool
}

struct TimerLook: Equatable, CustomStringConvertible {
    var name: String
    var left: Duration
    var isPaused = false

    var description: String { "\(name) \(left)\(isPaused ? " paused" : "")" }
}

/// The oracle, or a broken one.
struct OracleUnderTest<Interpreter: AppendixD>: ChartUnderTest {
    let session: Interpreter

    init(_ definition: ChartDefinition) throws {
        session = try Interpreter(definition)
        try session.interpret()
    }

    func send(_ event: String, _ data: JSON?) -> Verdict {
        let verdict = session.handle(.named(event, data))
        _ = session.advance(by: 0)
        return verdict
    }

    func advance(by nanoseconds: Int) { _ = session.advance(by: nanoseconds) }

    var look: ChartLook {
        let active = session.configuration.toList().filter(session.isAtomicState).sorted()
        return ChartLook(
            configuration: active.map { session.doc.states[$0].path }, variables: session.datamodel,
            timers: session.timers.compactMap(timerLook).sorted { $0.name < $1.name }, hasEnded: !session.running)
    }

    private func timerLook(_ timer: OracleTimer) -> TimerLook? {
        guard let number = timer.number else { return nil }
        let left = timer.deadline.map { $0 - session.now } ?? timer.left
        return TimerLook(name: session.doc.timers[number].name, left: .nanoseconds(left), isPaused: timer.deadline == nil)
    }

    func takeEffects() -> Effects {
        defer { session.effects = Effects() }
        return session.effects
    }
}
