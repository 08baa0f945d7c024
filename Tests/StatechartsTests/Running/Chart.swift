// A session of a flow file, in virtual time.

import GameFlow
import Testing
import Timers

@testable import Statecharts

struct BadFile: Error, CustomStringConvertible {
    let description: String
}

extension FlowKind {
    /// The flow kind that a file's text defines.
    static func chart(_ text: String) throws -> FlowKind {
        let file = FlowFile(bytes: Array(text.utf8), path: "test.json5")
        guard let definition = file.definition else { throw BadFile(description: file.report.joined(separator: "\n")) }
        return try chart(definition)
    }
}

/// One session, on a clock that the test moves.
final class ChartSession {
    let clock = VirtualClock()
    let timekeeper: Timekeeper
    private(set) var kind: FlowKind
    private(set) var machine: AnyMachine

    init(_ text: String, context: JSON? = nil) throws {
        timekeeper = Timekeeper(clock)
        kind = try FlowKind.chart(text)
        machine = try kind.begin(on: timekeeper, context: context)
    }

    var state: String { machine.stateName }

    func send(_ event: String, _ payload: JSON? = nil) throws {
        try machine.send(named: event, payload: payload.map(Payload.init), from: .ui)
        timekeeper.fireDue()
    }

    func advance(_ duration: Duration) {
        timekeeper.advance(clock, by: duration) { timekeeper.fireDue() }
    }

    subscript(variable: String) -> JSON? { try? machine.shownData()[variable] }

    var timers: [String: Duration] {
        Dictionary(machine.timers.compactMap { timer in timer.remaining.map { (timer.plan.name, $0) } }) { $1 }
    }

    /// Saves the session and restores it, optionally under another definition.
    func restart(away: Duration = .zero, under text: String? = nil) throws {
        // The newest first, as a store keeps them.
        let timers = machine.timers.reversed().map { timer in
            TimerImage(
                name: timer.plan.name, kind: timer.plan.kind, left: timer.remaining, isPaused: timer.isPaused,
                milestonesDue: timer.milestonesDue)
        }
        var image = SessionImage(
            state: machine.stateName, data: try JSON(parsing: try machine.stateData().description), away: away,
            timers: timers[...], isSaved: true)
        (image.since, image.isFrozen) = (machine.since, machine.isFrozen)
        if let text { kind = try FlowKind.chart(text) }
        machine = try kind.begin(on: timekeeper, at: image)
        timekeeper.fireDue()
    }
}
