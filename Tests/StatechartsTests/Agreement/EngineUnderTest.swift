// Adapts the real engine to the comparison.

import GameFlow
import JSON
import Timers

@testable import Statecharts

/// A session of a chart in the machine.
final class EngineUnderTest: ChartUnderTest {
    private let clock = VirtualClock()
    private let timekeeper: Timekeeper
    private let kind: FlowKind
    private let machine: AnyMachine
    private let watcher = EffectWatcher()
    private let definition: ChartDefinition

    convenience init(_ chart: ChartSketch) throws { try self.init(chart.definition()) }

    init(_ definition: ChartDefinition) throws {
        self.definition = definition
        timekeeper = Timekeeper(clock)
        kind = try FlowKind.chart(definition)
        kind.watch(watcher)
        machine = try kind.begin(on: timekeeper)
        machine.beginWork()
        timekeeper.fireDue()
    }

    deinit {
        kind.watch(nil)
    }

    func send(_ event: String, _ data: JSON?) -> Verdict {
        defer { timekeeper.fireDue() }
        do throws(Refusal) {
            _ = try machine.send(named: event, payload: data.map(Payload.init), from: .ui)
            return .taken
        } catch {
            switch error {
            case .transitionNotFound: return .nothingTakesIt
            case .badEvent, .badPayload, .unknownEvent, .notAllowed, .vetoed, .tooMany, .withdrawn: return .failed
            }
        }
    }

    func advance(by nanoseconds: Int) {
        timekeeper.advance(clock, by: .nanoseconds(nanoseconds)) { timekeeper.fireDue() }
    }

    var snapshot: ChartSnapshot {
        let data = (try? machine.shownData()) ?? .null
        return ChartSnapshot(
            configuration: machine.stateName.split(separator: ",").map(String.init),
            variables: definition.context.map { data[$0.name] ?? .null },
            timers: machine.timers.compactMap(timerSnapshot).sorted(), hasEnded: machine.isFinal)
    }

    var isStopped: Bool { machine.isFrozen }

    private func timerSnapshot(_ timer: StateTimer) -> TimerSnapshot? {
        guard let left = timer.remaining else { return nil }
        let isOfState = definition.timers.contains { $0.name == timer.plan.name }
        return TimerSnapshot(name: isOfState ? timer.plan.name : TimerSnapshot.delayed, left: left, isPaused: timer.isPaused)
    }

    func takeEffects() -> Effects {
        defer { watcher.effects = Effects() }
        return watcher.effects
    }
}

/// A chart that is read from its text.
struct FileUnderTest: ChartUnderTest {
    private let engine: EngineUnderTest

    init(_ chart: ChartSketch) throws {
        let file = FlowFile(bytes: Array(chart.text.utf8), path: "random.json5")
        guard let definition = file.definition else {
            throw SketchError(description: file.problems.first { $0.severity == .error }?.sentence ?? "no errors")
        }
        engine = try EngineUnderTest(definition)
    }

    func send(_ event: String, _ data: JSON?) -> Verdict { engine.send(event, data) }
    func advance(by nanoseconds: Int) { engine.advance(by: nanoseconds) }
    var snapshot: ChartSnapshot { engine.snapshot }
    var isStopped: Bool { engine.isStopped }
    func takeEffects() -> Effects { engine.takeEffects() }
}

/// Records a session's effects, and empties its outbox.
private final class EffectWatcher: MachineWatcher {
    var effects = Effects()

    override func collect(_ outgoing: Outbox, from machine: AnyMachine) {
        effects.requests += outgoing.effects.map(\.words)
        effects.emissions += outgoing.emissions.map { $0.event + ($0.data.map { "(\($0))" } ?? "") }
        effects.logs += outgoing.logs
        (outgoing.effects, outgoing.emissions, outgoing.logs) = ([], [], [])
    }
}

extension Effect {
    /// The effect in the oracle's notation.
    fileprivate var words: String {
        switch self {
        case .send(let event, let data, let session): "send \(event)\(data.map { "(\($0))" } ?? "") to \(session)"
        case .begin(let child, _, _): "begin \(child)"
        case .drop(let child): "drop \(child)"
        }
    }
}
