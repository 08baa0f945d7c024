// How expressions are checked while a file is read, before anything evaluates them.

/// Finds what is wrong with an expression's text, or else what it mentions.
package struct ExpressionCheck: Sendable {
    /// Makes the check of one file's expressions from the names of its context.
    package let check: @Sendable (_ variables: [String]) -> (String) -> CheckedExpression

    package init(_ check: @escaping @Sendable (_ variables: [String]) -> (String) -> CheckedExpression) {
        self.check = check
    }

    /// Compiles them, as the daemon does.
    package static let compiling = ExpressionCheck { variables in
        let checker = ExpressionChecker(variables: variables)
        return { text in
            do throws(TextProblem) { return .right(try checker.mentions(in: text)) } catch {
                return .wrong(ExpressionFault(error))
            }
        }
    }
}

package enum CheckedExpression {
    case right(ExpressionMentions)
    case wrong(ExpressionFault)
}

package struct ExpressionFault: Error, Equatable {
    /// The byte within the expression's text.
    package let offset: Int
    package let sentence: String

    package init(offset: Int, sentence: String) {
        self.offset = offset
        self.sentence = sentence
    }

    fileprivate init(_ problem: TextProblem) {
        self.init(offset: problem.offset ?? 0, sentence: (problem.isAboutWhole ? "this expression " : "") + problem.sentence)
    }
}
