// A session's memory beyond its variables, as it stands in its saved data under `$`: names in place of the chart's numbers, so that
// it can be read under a changed definition too.

import GameFlow
import Texts
import Timers

struct SavedMemory {
    static let member = "$"
    /// Of those timers whose lengths were computed, in nanoseconds.
    static let lengths = "lengths"
    private var members: [JSON.Member] = []

    init(_ rest: Remainder?, _ combination: Combination?, _ timers: [CarriedTimer], _ chart: Chart) {
        let computed = timers.filter { chart.hasComputedLength($0.number) }.map(\.timer.plan)
        add(Self.lengths, computed.map { JSON.Member($0.name, .integer(Int($0.length.wholeNanoseconds))) })
        if let combination, combination.isRare { add("active", .string(combination.name)) }
        guard let rest else { return }
        add(
            "history",
            rest.history.sorted { $0.key < $1.key }.map { state, remembered in
                JSON.Member(chart.states[state].path, .array(remembered.map { .string(chart.states[$0].path) }))
            })
        add("delayed", rest.delayed.filter { $0.countdown.remaining != nil }.map(\.saved))
        add("errands", (rest.outgoing?.effects ?? []).map(\.json))
        add(
            "children",
            rest.children.map { child in
                JSON.Member(chart.definition.invocations[child.number].id, child.stage.map { .string($0.rawValue) } ?? .null)
            })
        add(
            "entered",
            rest.entered.sorted { $0.key < $1.key }.map { state, entered in
                JSON.Member(chart.states[state].path, .integer(Int(entered.nanoseconds)))
            })
        if let output = rest.output { add("output", output) }
    }

    /// Nil where there is nothing to remember.
    var json: JSON.Member? { members.isEmpty ? nil : JSON.Member(Self.member, .object(members)) }

    private mutating func add(_ name: String, _ value: JSON) { members.append(JSON.Member(name, value)) }

    private mutating func add(_ name: String, _ list: [JSON]) {
        if !list.isEmpty { add(name, .array(list)) }
    }

    private mutating func add(_ name: String, _ list: [JSON.Member]) {
        if !list.isEmpty { add(name, .object(list)) }
    }
}

extension DelayedEvent {
    fileprivate var saved: JSON {
        var members = [
            JSON.Member("timer", .string(countdown.plan.name)), JSON.Member("number", .integer(Int(number))),
            JSON.Member("id", .string(id)), JSON.Member("event", .string(event)),
            JSON.Member("length", .integer(Int(countdown.plan.length.wholeNanoseconds))),
        ]
        if let data { members.append(JSON.Member("data", data)) }
        if let recipient { members.append(JSON.Member("to", .string(recipient))) }
        return .object(members)
    }
}
