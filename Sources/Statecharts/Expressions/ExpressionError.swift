// What can be wrong with expressions.

/// Why an evaluation gave no value.
package struct ExpressionError: Error, Equatable {
    /// Names the expression and what was wrong.
    package var sentence: String

    package init(_ sentence: String) {
        self.sentence = sentence
    }
}

/// What is wrong with an expression's text.
package struct ExpressionProblem: Error, Equatable {
    package var expression: Expression
    /// The byte of its text where it is wrong.
    package var offset: Int
    package var sentence: String
}

/// All that is wrong with a chart's expressions.
package struct ExpressionProblems: Error, Equatable {
    package var problems: [ExpressionProblem]
}
