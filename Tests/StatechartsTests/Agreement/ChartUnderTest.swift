// The comparison's interface to an engine that runs charts.

import Statecharts
import JSON

/// A session of a chart, in virtual time.
protocol ChartUnderTest {
    /// Creates a session; throws if its initial states cannot be entered.
    init(_ chart: ChartSketch) throws
    mutating func send(_ event: String, _ data: JSON?) -> Verdict
    /// Advances time and fires the timers that become due.
    mutating func advance(by nanoseconds: Int)
    var snapshot: ChartSnapshot { get }
    /// Whether its clock was stopped because its timers fire in a cycle.
    var isStopped: Bool { get }
    /// The session's effects since the last call.
    mutating func takeEffects() -> Effects
    /// A macrostep with more microsteps, or more events raised, counts as endless.
    static var maxRounds: Int { get }
}

extension ChartUnderTest {
    /// The engine's limit.
    static var maxRounds: Int { 1_000 }
}

/// The visible state of a session.
struct ChartSnapshot: Equatable {
    /// The paths of the active atomic states, in document order.
    var configuration: [String]
    var variables: [JSON]
    /// Running timers by name, with their remaining time.
    var timers: [TimerSnapshot]
    var hasEnded: Bool
}

struct TimerSnapshot: Comparable, CustomStringConvertible {
    /// The name of all events that are raised or sent later.
    static let delayed = "delayed"

    var name: String
    var left: Duration
    var isPaused = false

    static func < (one: TimerSnapshot, other: TimerSnapshot) -> Bool { (one.name, one.left) < (other.name, other.left) }

    var description: String { "\(name) \(left)\(isPaused ? " paused" : "")" }
}

/// The oracle, or a broken one.
struct OracleUnderTest<Interpreter: AppendixD>: ChartUnderTest {
    let session: Interpreter
    /// A low bound, since endless charts take most of the time of comparing two oracles.
    static var maxRounds: Int { 100 }

    init(_ chart: ChartSketch) throws { try self.init(chart, maxRounds: Self.maxRounds) }

    init(_ chart: ChartSketch, maxRounds: Int) throws {
        session = try Interpreter(try chart.definition(), maxRounds: maxRounds)
        try session.interpret()
        _ = session.advance(by: 0)
    }

    func send(_ event: String, _ data: JSON?) -> Verdict {
        let verdict = session.handle(.named(event, data))
        _ = session.advance(by: 0)
        return verdict
    }

    func advance(by nanoseconds: Int) { _ = session.advance(by: nanoseconds) }

    var snapshot: ChartSnapshot {
        let active = session.configuration.toList().filter(session.isAtomicState).sorted()
        return ChartSnapshot(
            configuration: active.map { session.doc.states[$0].path }, variables: session.datamodel,
            timers: session.timers.map(timerSnapshot).sorted(), hasEnded: !session.running)
    }

    var isStopped: Bool { session.stopsTime }

    private func timerSnapshot(_ timer: OracleTimer) -> TimerSnapshot {
        let name = timer.number.map { session.doc.timers[$0].name } ?? TimerSnapshot.delayed
        return TimerSnapshot(name: name, left: .nanoseconds(timer.left(at: session.now)), isPaused: timer.isPaused)
    }

    func takeEffects() -> Effects {
        defer { session.effects = Effects() }
        return session.effects
    }
}
