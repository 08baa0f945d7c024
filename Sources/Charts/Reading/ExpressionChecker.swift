// How expressions are checked while a file is read, before anything evaluates them.

/// Finds what is wrong with an expression's text.
package struct ExpressionChecker: Sendable {
    /// Makes the check of one file's expressions from the names that they may use.
    package let check: @Sendable (ExpressionNames) -> (String) -> ExpressionFault?

    package init(_ check: @escaping @Sendable (ExpressionNames) -> (String) -> ExpressionFault?) {
        self.check = check
    }

    /// The one that reading takes unless it is given another.
    package static var standard: ExpressionChecker { .none }

    /// Finds nothing wrong.
    package static let none = ExpressionChecker { _ in { _ in nil } }
}

/// The names of a file that its expressions may use.
package struct ExpressionNames: Sendable {
    /// Of the context's variables, in their order.
    package let variables: [String]
    /// The dotted paths of the states.
    package let states: [String]
    package let timers: [String]

    package init(variables: [String], states: [String], timers: [String]) {
        self.variables = variables
        self.states = states
        self.timers = timers
    }
}

package struct ExpressionFault: Sendable, Equatable {
    /// The byte within the expression's text.
    package let offset: Int
    package let sentence: String

    package init(offset: Int, sentence: String) {
        self.offset = offset
        self.sentence = sentence
    }
}
