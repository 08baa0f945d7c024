// Literals that can never be right: values of variables, and lengths of time. An expression of literals alone is one, too: a literal text is `"'red'"`.

import JSON
import Texts
import Timers

extension ChartReader {
    /// Reports a value that the variable takes in no session.
    func checkLiteral(_ formula: Formula, in value: LocatedJSON, for variable: ContextVariable) {
        guard !value.isUnreadable, let literal = literal(formula), let complaint = variable.complaint(about: literal) else {
            return
        }
        problems.error(value.offset, complaint)
    }

    /// The value that no session changes; nil if an expression computes it. An array or object with expressions in it is represented by another one,
    /// since only its type is certain.
    func literal(_ formula: Formula) -> JSON? {
        switch formula {
        case .constant(let value): value
        case .expression(let expression): literal(in: expressions[expression.number].text)
        case .object: .object([])
        case .array: .array([.null])
        }
    }

    /// The value of an expression that reads nothing of its session; nil for others.
    private func literal(in text: String) -> JSON? {
        guard text.utf8.count <= ChartBounds.expressionBytes else { return nil }
        if let simple = SimpleParser.parse(text, variables: [:]) { return simple.literal }
        let tokens = Lexer.tokens(of: text)
        let isNegative = tokens.first?.kind == .symbol("-")
        guard tokens.count == (isNegative ? 2 : 1), let number = tokens.last, number.kind == .number else { return nil }
        let digits = String(decoding: text.utf8.dropFirst(number.range.lowerBound).prefix(number.range.count), as: UTF8.self)
        guard !digits.contains(where: { "xX".contains($0) }), let value = Double(digits), value.isFinite else { return nil }
        return .number(isNegative ? -value : value)
    }

    // MARK: Lengths of time

    /// Why an expression never gives a length of time; nil if it may.
    func complaint(aboutComputed text: String, _ what: String, maySubtract: Bool) -> String? {
        if let value = literal(in: text) { return complaint(aboutLiteral: value, what, maySubtract: maySubtract) }
        let name = text.filter { !$0.isWhitespace }
        if let variable = context.numbers[name].map({ context.all[$0] }), variable.kind?.shape != .integer,
            variable.kind?.shape != .number, variable.complaint(about: .integer(0)) != nil
        {
            return "\(what) is \(Self.length), and \(name.quoted) is \(variable.words)"
        }
        // Advice about a variable's name or a text's quotes would mislead: a duration was meant.
        guard let compiler, SyntaxHints.adviceAboutQuotes(text, Lexer.tokens(of: text)) != nil,
            Suggestion.closest(to: text, among: context.names) == nil, (try? compiler.mentions(in: text)) == nil
        else { return nil }
        return
            "\(what) is \(Self.length), and \(text.quoted) is neither; write it like 90s, 1m30s, 250ms, 1500 or \"minutes * 60000\""
    }

    private func complaint(aboutLiteral value: JSON, _ what: String, maySubtract: Bool) -> String? {
        guard let milliseconds = value.double else { return "\(what) is \(Self.length), and not \(value.typeInWords)" }
        guard let duration = Duration(milliseconds: milliseconds) else { return Self.tooLong(what) }
        return maySubtract || duration >= .zero ? nil : Self.negative(what, duration)
    }

    /// The forms of a length of time.
    static let length = "a duration such as \"30s\", or an expression in milliseconds"

    static func tooLong(_ what: String) -> String { "\(what) is too long; a duration is shorter than a century (36600d)" }

    static func negative(_ what: String, _ duration: Duration) -> String {
        "\(what) is \(duration.written), and nothing can come before now"
    }
}

extension SimpleExpression {
    /// Its value if it reads nothing of the session; nil for others.
    fileprivate var literal: JSON? {
        let reads: [Operation] = [.variable, .field, .variableIsText, .fieldIsText]
        guard !steps.contains(where: { reads.contains($0.operation) }) else { return nil }
        return json(in: Scope())
    }
}
