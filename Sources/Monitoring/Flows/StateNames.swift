// The states of a kind one by one. A session of a chart is in several at once: in its leaves, and in the states around them.

import GameFlow
import Sessions

/// Which states a session is in where it is in one of this name: learnt once for each name.
final class StateNames {
    /// More states of a flow than this are summed up.
    static let maxCount = 500

    let kind: FlowKind
    /// The states by number, and their labels.
    private(set) var names: [String] = []
    private(set) var labels: [MetricLabel] = []
    private var numbers: [String: Int] = [:]
    /// By the index of the name.
    private var members: [[Int]] = []

    init(_ kind: FlowKind) {
        self.kind = kind
    }

    /// The numbers of the states that are active in the state of this index.
    func members(of place: Int) -> [Int] {
        while members.count <= place { members.append(numbers(of: kind.stateName(at: UInt32(members.count)))) }
        return members[place]
    }

    private func numbers(of name: String) -> [Int] {
        var found: [Int] = []
        for state in Self.states(in: name, arePaths: kind.hasStatePaths) {
            let number = number(of: state)
            if !found.contains(number) { found.append(number) }
        }
        return found
    }

    private func number(of state: String) -> Int {
        if let known = numbers[state] { return known }
        guard names.count < Self.maxCount || state == RetiredKindStatistics.otherStates else {
            return number(of: RetiredKindStatistics.otherStates)
        }
        numbers[state] = names.count
        names.append(state)
        labels.append(MetricLabel("state", state))
        return names.count - 1
    }

    /// `a.b,a.c` is in `a`, `a.b` and `a.c`. The names of other flows' states are not taken apart.
    static func states(in name: String, arePaths: Bool) -> [String] {
        guard arePaths else { return [name] }
        var states: [String] = []
        for path in name.split(separator: ",") {
            for dot in path.indices where path[dot] == "." { add(String(path[..<dot]), to: &states) }
            add(String(path), to: &states)
        }
        return states
    }

    private static func add(_ state: String, to states: inout [String]) {
        if !states.contains(state) { states.append(state) }
    }
}
