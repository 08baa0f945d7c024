// A problem of a chart as a whole, though each of its parts can be read.

import Texts

struct Finding {
    enum Place: Equatable {
        case state(Int)
        case transition(Int)
        /// Of the catalogue.
        case event(Int)
    }

    var isError = false
    let place: Place
    let sentence: String
}

extension ChartDefinition {
    /// `the state 'question.open'`, `the flow`.
    func words(for state: Int) -> String { state == 0 ? "the flow" : "the state '\(states[state].path.shortened)'" }

    /// From the state itself up to the root.
    func ancestors(of state: Int) -> some Sequence<Int> {
        sequence(first: state) { states[$0].parent }
    }

    func isAncestor(_ state: Int, of other: Int) -> Bool { state != other && ancestors(of: other).contains(state) }

    /// A state's children without those that only remember.
    func lastingChildren(of state: Int) -> [Int] { states[state].children.filter { !states[$0].kind.isHistory } }
}
