// Tests of W3C's implementation report for SCXML (https://www.w3.org/Voice/2013/scxml-irp), written as flow files would say them.
//
// Tests of features that flow files lack are left out (foreach, data models, the sessions' variables, scripts, error events of one block),
// and so are 159, 376 and 378, where an error ends one block of actions: in a flow file it refuses the whole event.

import Statecharts
import Timers

/// A chart that ends in `pass`.
struct W3CTest: CustomStringConvertible, Sendable {
    let number: String
    let says: String
    let chart: ChartSketch
    let steps: [ChartStep]

    var description: String { "\(number): \(says)" }

    /// The variables are integers that begin with 0.
    init(
        _ number: String, _ says: String, variables: [String] = [], initial: String, steps: [ChartStep] = [],
        _ states: [StateSketch]
    ) {
        self.number = number
        self.says = says
        self.steps = steps
        let root = StateSketch(
            key: "root", kind: .compound, initial: initial.split(separator: " ").map(String.init),
            children: states + [.final("pass"), .final("fail")])
        chart =
            ChartSketch(
                name: "test", context: variables.map { VariableSketch(name: $0, initial: 0) }, events: root.eventNames,
                root: root
            )
            .withPaths
    }
}

extension StateSketch {
    /// The events that its transitions wait for and its actions raise, without the platform's events.
    var eventNames: [String] {
        let handled = on.map(\.descriptor.text).filter { !$0.hasSuffix("*") && !$0.hasPrefix("done.") }
        let actions = entry + exit + initialActions + allTransitions.flatMap(\.actions)
        return Set(handled + actions.flatMap(\.raised) + children.flatMap(\.eventNames)).sorted()
    }

    var allTransitions: [TransitionSketch] { on.flatMap(\.transitions) + always + timers.flatMap(\.transitions) }
}

extension ActionSketch {
    fileprivate var raised: [String] {
        switch self {
        case .raise(let event, _, _): [event]
        case .choose(_, let then, let otherwise): (then + otherwise).flatMap(\.raised)
        case .assign, .emit, .send, .cancel, .log, .extend, .pause, .resume: []
        }
    }
}

/// The words of the tests' actions.
func raise(_ event: String) -> ActionSketch { .raise(event) }

/// Counts in a variable.
func count(_ variable: String) -> ActionSketch { .assign(variable, "\(variable) + 1") }

extension TransitionSketch {
    /// "conf:targetfail"
    static var fails: TransitionSketch { .to("fail") }
    static var passes: TransitionSketch { .to("pass") }
}

extension [TransitionSketch] {
    static func passes(when condition: String) -> [TransitionSketch] { [.to("pass", when: condition), .fails] }
}
