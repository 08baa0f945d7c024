// How expressions are checked while a file is read, before anything evaluates them.

/// Finds what is wrong with an expression's text.
package struct ExpressionCheck: Sendable {
    /// Makes the check of one file's expressions from the names that they may use.
    package let check: @Sendable (NamesInFile) -> (String) -> ExpressionFault?

    package init(_ check: @escaping @Sendable (NamesInFile) -> (String) -> ExpressionFault?) {
        self.check = check
    }

    /// The one that reading takes unless it is given another.
    package static var standard: ExpressionCheck { .compiling }

    /// Compiles them, as the daemon does.
    package static let compiling = ExpressionCheck { names in
        let checker = ExpressionChecker(variables: names.variables)
        return { text in checker.problem(in: text).map { ExpressionFault(offset: $0.offset, sentence: $0.sentence) } }
    }

    /// Finds nothing wrong.
    package static let none = ExpressionCheck { _ in { _ in nil } }
}

/// The names of a file that its expressions may use.
package struct NamesInFile: Sendable {
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
