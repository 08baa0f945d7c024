// Guards and values of random charts: valid Lua, over the variables `x` and `y`, the event's value, and which states are active.

import Seeds

/// The variables of random charts, where they have any. `trace` tells in which order actions ran; `y` has bounds, which an assignment can break.
enum RandomVariables {
    static let all = [
        // Most loops use it up, so that few charts are endless.
        VariableSketch(name: "fuel", initial: 6, range: nil),
        VariableSketch(name: "x", initial: 0, range: nil), VariableSketch(name: "y", initial: 1, range: 0...3),
        VariableSketch(name: "trace", initial: 0, range: nil),
    ]
}

struct RandomExpressions {
    let paths: [String]
    /// Whether there are variables.
    let hasContext: Bool

    func condition(_ random: inout SeededGenerator) -> String {
        let first = comparison(&random)
        return switch Int.random(in: 0..<8, using: &random) {
        case 0: "\(first) and \(comparison(&random))"
        case 1: "\(first) or \(comparison(&random))"
        case 2: "not (\(first))"
        default: first
        }
    }

    private func comparison(_ random: inout SeededGenerator) -> String {
        let number = Int.random(in: 0...3, using: &random)
        guard hasContext else {
            return random.decides(0.6) ? "state('\(random.one(of: paths))')" : "event.value == \(number)"
        }
        switch Int.random(in: 0..<9, using: &random) {
        case 0: return "x < y"
        case 1: return "state('\(random.one(of: paths))')"
        case 2: return "event.value == \(number)"
        case 3: return "(x + y) % 2 == \(number % 2)"
        case 4: return "trace % 2 == \(number % 2)"
        case 5: return "y \(random.one(of: ["==", "<", ">=", "~="])) \(number)"
        default: return "x \(random.one(of: ["==", "<", ">", "<=", ">=", "~="])) \(number)"
        }
    }

    /// A variable and its new value: always valid for `x`, mostly for `y`.
    func assignment(_ random: inout SeededGenerator) -> ActionSketch {
        switch Int.random(in: 0..<8, using: &random) {
        case 0, 1, 2: .assign("x", "(x + 1) % 5")
        case 3: .assign("x", "(x * 3 + y) % 7 // 2")
        case 4: .assign("y", "x % 4")
        case 5: .assign("y", "(y + 1) % 4")
        // Fails at its upper bound.
        case 6: random.decides(0.3) ? .assign("y", "y + 1") : .assign("x", "0")
        // Fails for events without a payload.
        default: random.decides(0.3) ? .assign("x", "event.value + 0") : .assign("x", "2 - y")
        }
    }

    func value(_ random: inout SeededGenerator) -> String {
        random.one(of: hasContext ? ["x", "y", "x + y * 2", "trace % 5"] : ["1", "1 + 2"])
    }
}
