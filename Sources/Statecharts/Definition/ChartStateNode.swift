// A state of a chart, and what belongs to it.

import GameFlow
import Texts

/// A state. States, transitions, timers and invocations are named by their indices in the definition's lists.
package struct ChartStateNode: Sendable {
    package typealias Kind = FlowGraph.State.Kind

    /// A state's `back`.
    package enum Back: Sendable, Equatable {
        /// It leads to this state.
        case state(Int)
        /// Nothing leads back from here: the trail is forgotten.
        case nowhere
    }

    /// Its key among its parent's states; of the root, the flow's name.
    package var key: String
    /// The dotted path from the root; empty for the root.
    package var path: String
    package var kind: Kind
    /// Nil for the root.
    package var parent: Int?
    /// In document order.
    package var children: [Int] = []
    /// Of a compound state: the transition to its initial states; of a history state: to its default ones. It has no trigger and no
    /// guard, and may have several targets (in regions of a parallel state) and actions.
    package var initial: Int?
    /// All others that leave from here, in document order.
    package var transitions: [Int] = []
    /// Names of events that wait here for a state that takes them.
    package var postponed: [String] = []
    /// The effect of `$back` here while nothing is remembered.
    package var back: Back?
    package var timers: [Int] = []
    package var invocations: [Int] = []
    package var entry: [ChartAction] = []
    package var exit: [ChartAction] = []
    /// The data that a final state hands to its parent's `done` event.
    package var output: Formula?
    package var view: ChartView?
}

/// The texts and progress that a user interface shows for a state. A state's own words come before those of the states around it.
package struct ChartView: Sendable {
    package var title: Template?
    package var text: Template?
    /// From 0 to 1.
    package var progress: Formula?
}

/// Another flow that runs as long as the state is active, in a separate session: `parent/child`.
package struct Invocation: Sendable {
    /// Its name below the parent's, and in the names of its events: `done.invoke.ID` and `error.invoke.ID`.
    package var id: String
    package var state: Int
    package var flow: String
    /// Where the flow's name is in the file.
    package var position = TextPosition(line: 1, column: 1)
    /// The context that it begins with.
    package var context: [Value] = []

    package struct Value: Sendable {
        package var name: String
        package var value: Formula
        /// Its value if no session computes it.
        package var literal: JSON?
        /// Where its name and its value are in the file.
        package var namePosition: TextPosition
        package var position: TextPosition
    }
}

extension ChartStateNode.Kind {
    var isLeaf: Bool {
        switch self {
        case .atomic, .final: true
        case .compound, .parallel, .history: false
        }
    }
}

extension [ChartStateNode] {
    /// From the state itself up to the root.
    func ancestors(of state: Int) -> some Sequence<Int> {
        sequence(first: state) { self[$0].parent }
    }

    /// Whether the state is somewhere below the other.
    func isDescendant(_ state: Int, of other: Int) -> Bool { state != other && ancestors(of: state).contains(other) }

    /// A state's children without those that only remember.
    func lastingChildren(of state: Int) -> [Int] { self[state].children.filter { !self[$0].kind.isHistory } }

    /// `the state 'question.open'`, `the flow`.
    func words(for state: Int) -> String { state == 0 ? "the flow" : "the state '\(self[state].path.shortened.printable)'" }
}

// MARK: - Actions of transitions and states

package indirect enum ChartAction: Sendable {
    /// Gives a variable of the context a value.
    case assign(variable: Int, Formula)
    /// Raises an event of the chart's own; with a delay, a timer of the session does.
    case raise(EventToSend)
    /// Sends an event to subscribers.
    case emit(EventToSend)
    /// Sends an event to another session.
    case send(EventToSend, to: Template)
    /// Cancels an event that was to be raised or sent later.
    case cancel(id: String)
    case log(Formula)
    case extend(timer: Int, by: Length)
    case pause(timer: Int)
    case resume(timer: Int)
    case choose(if: Expression, then: [ChartAction], otherwise: [ChartAction])
}

/// An event that an action raises, emits or sends.
package struct EventToSend: Sendable {
    package var event: String
    package var data: Formula?
    package var delay: Length?
    /// Names it for `cancel`, while it waits.
    package var id: String?
}

// MARK: - Expressions as a file has them

/// An expression, by its index in the definition's list.
package struct Expression: Sendable, Hashable {
    package var number: Int

    package init(_ number: Int) {
        self.number = number
    }
}

/// The text of an expression, and where it stands.
package struct ExpressionSource: Sendable {
    package var text: String
    /// The state that it belongs to: `elapsed` is that state's time.
    package var state: Int
    package var line = 0
}

/// A value that is given or computed: in a file a text is an expression, and anything else is itself.
package indirect enum Formula: Sendable {
    case constant(JSON)
    case expression(Expression)
    case object([Member])
    case array([Formula])

    package struct Member: Sendable {
        package var name: String
        package var value: Formula
    }

    var expressions: [Expression] {
        switch self {
        case .constant: []
        case .expression(let expression): [expression]
        case .object(let members): members.flatMap(\.value.expressions)
        case .array(let elements): elements.flatMap(\.expressions)
        }
    }
}

/// A text with `{{ expressions }}` in it.
package struct Template: Sendable {
    package enum Part: Sendable {
        case text(String)
        case expression(Expression)
    }

    package var parts: [Part]

    var expressions: [Expression] {
        parts.compactMap { if case .expression(let expression) = $0 { expression } else { nil } }
    }
}
