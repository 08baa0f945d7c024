// A session's state: which states of the chart are active, their timers, and what the session remembers.

import GameFlow
import Memory
import Timers

/// A chart's state. One leaf and one timer, which is what most sessions have, stand in it directly.
struct ChartState: FlowState {
    /// The index of the one active leaf among the chart's leaves; `several` where there are more.
    let leafPlace: UInt16
    /// The number of `timer` in the chart.
    let timerNumber: UInt16
    let timer: StateTimer?
    /// Everything else; nil for most sessions of a chart without context.
    let more: ChartMemory?

    static let several = UInt16.max

    init(leafPlace: UInt16, timers: [CarriedTimer], more: ChartMemory?) {
        self.leafPlace = leafPlace
        timer = timers.first?.timer
        timerNumber = timers.first.map { UInt16(truncatingIfNeeded: $0.number) } ?? 0
        self.more = more
    }

    /// The same with one timer, or none.
    init(leafPlace: UInt16, timer: StateTimer?, _ number: Int, more: ChartMemory?) {
        self.leafPlace = leafPlace
        self.timer = timer
        timerNumber = UInt16(truncatingIfNeeded: number)
        self.more = more
    }

    /// All timers of its states.
    var timers: [CarriedTimer] {
        guard let timer else { return [] }
        return [CarriedTimer(number: Int(timerNumber), timer: timer)] + (more?.timers ?? [])
    }

    // MARK: As a flow's state

    var ownName: String? { more?.combination?.name }

    var ownPlace: UInt32? { leafPlace == Self.several ? nil : UInt32(leafPlace) }

    var carriesOnlyTimers: Bool? { more?.isEmpty(beside: timers) ?? true }

    func ownData(isSaved: Bool) -> JSON? { more?.data(isSaved: isSaved, beside: timers) ?? .object([]) }

    /// The chart lists them.
    static var allNames: [String] { [] }

    func carries(_ timer: StateTimer) -> Bool {
        self.timer === timer || more?.carries(timer) ?? false
    }

    // MARK: Coding

    private struct NotByItself: Error {}

    /// A chart's state is restored by its flow, which knows the chart.
    init(from decoder: any Decoder) throws { throw NotByItself() }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(ownData(isSaved: true))
    }
}

/// A timer that runs for a state of the chart.
struct CarriedTimer {
    /// Its number in the chart.
    let number: Int
    let timer: StateTimer
}
