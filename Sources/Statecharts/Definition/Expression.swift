// Expressions as a file has them. `Expressions` compiles and evaluates them.

import JSON

/// An expression, by its place in the definition's list.
package struct Expression: Sendable, Hashable {
    package var number: Int

    package init(_ number: Int) {
        self.number = number
    }
}

/// The text of an expression, and where it stands.
package struct ExpressionSource: Sendable {
    package var text: String
    /// The state that it belongs to, whose time `elapsed` tells.
    package var state: Int
    package var line: Int
    package var column: Int

    package init(_ text: String, state: Int, line: Int = 0, column: Int = 0) {
        self.text = text
        self.state = state
        self.line = line
        self.column = column
    }
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

        package init(_ name: String, _ value: Formula) {
            self.name = name
            self.value = value
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

    package init(_ parts: [Part]) {
        self.parts = parts
    }
}
