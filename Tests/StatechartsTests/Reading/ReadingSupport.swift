// Helpers of the tests that read flow files.

import Testing

@testable import Statecharts

/// The chart of a text that has no errors.
func chart(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> ChartDefinition {
    let file = FlowFile(bytes: Array(text.utf8), path: "flow.json5")
    return try #require(file.definition, "\(file.report)", sourceLocation: sourceLocation)
}

/// The problems of a text, without the file's name: `3:7: error: …`.
func report(_ text: String) -> [String] {
    FlowFile(bytes: Array(text.utf8), path: "flow.json5").report.map { String($0.dropFirst("flow.json5:".count)) }
}

/// A flow of this name with these states, on one line.
func flow(_ states: String, _ more: String = "") -> String { "{ id: \"test\", \(more) states: { \(states) } }" }

extension ChartDefinition {
    func number(of path: String) throws -> Int { try #require(states.firstIndex { $0.path == path }) }

    /// Transitions as `source -trigger-> targets`, in their order.
    var arrows: [String] {
        transitions.map { transition in
            let source = states[transition.source].path.isEmpty ? "(root)" : states[transition.source].path
            let targets = transition.targets.map { states[$0].path.isEmpty ? "(root)" : states[$0].path }.joined(separator: "+")
            return "\(source) \(name(of: transition.trigger))-> \(targets)" + (transition.isForbidden ? "nowhere" : "")
        }
    }

    private func name(of trigger: Trigger) -> String {
        switch trigger {
        case .event(.exact(let name)): name
        case .event(.prefix(let name)): name + ".*"
        case .event(.any): "*"
        case .always: "always"
        case .timer(let number): "timer:" + timers[number].name
        case .milestone(let number, let index): "left:\(timers[number].milestones[index]):" + timers[number].name
        case .initial: "initial"
        }
    }
}

/// A text with faults, and its expected report.
struct WrongFile: Sendable, CustomTestStringConvertible {
    let text: String
    let report: [String]

    init(_ text: String, _ report: String...) {
        self.text = text
        self.report = report
    }

    var testDescription: String { text }
}
