// Reads a simple expression from its tokens, by Lua's precedence. Nil for every other one.

struct SimpleParser {
    private struct NotSimple: Error {}

    private let text: String
    private let tokens: [Token]
    private let variables: [String: Int]
    private var position = 0
    private var steps: [SimpleExpression.Step] = []
    private var texts: [String] = []
    private var depth = 0
    private var nesting = 0

    static func parse(_ text: String, variables: [String: Int]) -> SimpleExpression? {
        var parser = SimpleParser(text: text, tokens: Lexer.tokens(of: text), variables: variables)
        if parser.tokens.count == 1, let text = parser.takeText() { return SimpleExpression(text) }
        do throws(NotSimple) {
            try parser.or()
            guard parser.position == parser.tokens.count else { return nil }
            return SimpleExpression(steps: parser.steps, texts: parser.texts)
        } catch {
            return nil
        }
    }

    // MARK: Precedence, from the loosest

    private mutating func or() throws(NotSimple) {
        try and()
        while consume(.keyword("or")) {
            let skip = steps.count
            add(.skipIfTrue)
            try and()
            steps[skip].operand = steps.count
        }
    }

    private mutating func and() throws(NotSimple) {
        try comparison()
        while consume(.keyword("and")) {
            let skip = steps.count
            add(.skipIfFalse)
            try comparison()
            steps[skip].operand = steps.count
        }
    }

    private typealias Operators = [String: SimpleExpression.Operation]
    private static let comparisons: Operators = [
        "<": .less, "<=": .lessOrEqual, ">": .greater, ">=": .greaterOrEqual, "==": .equal, "~=": .unequal,
    ]

    private mutating func comparison() throws(NotSimple) {
        let left = try sum()
        guard let operation = takeOperator(Self.comparisons) else { return try pushIfNeeded(left) }
        if operation == .equal || operation == .unequal, let text = takeText() {
            return try compare(left, text, isEqual: operation == .equal)
        }
        try pushIfNeeded(left)
        try pushIfNeeded(try sum())
        add(operation)
        // Lua compares from the left; what that means is left to it.
        guard takeOperator(Self.comparisons) == nil else { throw NotSimple() }
    }

    /// A place that is not on the stack yet, so that it can be compared with a text.
    private enum Operand {
        case variable(Int)
        case field(Int)
        case pushed
    }

    private mutating func sum() throws(NotSimple) -> Operand {
        try chain(["+": .add, "-": .subtract]) { parser throws(NotSimple) in try parser.product() }
    }

    private mutating func product() throws(NotSimple) -> Operand {
        try chain(["*": .multiply, "//": .divide, "%": .remainder]) { parser throws(NotSimple) in try parser.unary() }
    }

    /// Operands with operators between them, from the left.
    private mutating func chain(
        _ operators: Operators, _ operand: (inout SimpleParser) throws(NotSimple) -> Operand
    ) throws(NotSimple) -> Operand {
        var left = try operand(&self)
        while let operation = takeOperator(operators) {
            try pushIfNeeded(left)
            try pushIfNeeded(try operand(&self))
            add(operation)
            left = .pushed
        }
        return left
    }

    private mutating func unary() throws(NotSimple) -> Operand {
        let isNot = consume(.keyword("not"))
        guard isNot || consume(.symbol("-")) else { return try operand() }
        try nest { parser throws(NotSimple) in try parser.pushIfNeeded(try parser.unary()) }
        steps.append(SimpleExpression.Step(operation: isNot ? .not : .negate))
        return .pushed
    }

    /// Reads an inner part. Not every text is one that Lua has accepted, whose parts are nested less deep than a stack is.
    private mutating func nest(_ read: (inout SimpleParser) throws(NotSimple) -> Void) throws(NotSimple) {
        nesting += 1
        guard nesting <= SimpleExpression.deepest else { throw NotSimple() }
        try read(&self)
        nesting -= 1
    }

    // MARK: Operands

    private mutating func operand() throws(NotSimple) -> Operand {
        let kind = kind
        position += 1
        switch kind {
        case .number: try pushNumber(tokens[position - 1])
        case .keyword("true"): try push(.truth, 1)
        case .keyword("false"): try push(.truth, 0)
        case .keyword("nil"): try push(.nothing, 0)
        case .symbol("("):
            try nest { parser throws(NotSimple) in try parser.or() }
            guard consume(.symbol(")")) else { throw NotSimple() }
        case .name(let name): return try named(name)
        case .text, .textWithZero, .symbol, .keyword, nil: throw NotSimple()
        }
        return .pushed
    }

    private mutating func named(_ name: String) throws(NotSimple) -> Operand {
        if let variable = variables[name] {
            guard isAtEndOfOperand else { throw NotSimple() }
            return .variable(variable)
        }
        guard name == "event", consume(.symbol(".")), case .name(let field)? = kind else { throw NotSimple() }
        position += 1
        guard isAtEndOfOperand else { throw NotSimple() }
        texts.append(field)
        return .field(texts.count - 1)
    }

    /// Whether nothing is called or indexed here.
    private var isAtEndOfOperand: Bool {
        switch kind {
        case .symbol(let symbol): ![".", "[", "(", ":", "{", "^", "..", "/", "&", "|", "~", "<<", ">>"].contains(symbol)
        case .keyword, nil: true
        case .name, .number, .text, .textWithZero: false
        }
    }

    private mutating func pushNumber(_ token: Token) throws(NotSimple) {
        guard let number = Int(Substring(text.utf8.dropFirst(token.range.lowerBound).prefix(token.range.count))) else {
            throw NotSimple()
        }
        try push(.integer, number)
    }

    // MARK: Steps

    private mutating func pushIfNeeded(_ operand: Operand) throws(NotSimple) {
        switch operand {
        case .variable(let number): try push(.variable, number)
        case .field(let number): try push(.field, number)
        case .pushed: break
        }
    }

    private mutating func compare(_ left: Operand, _ text: String, isEqual: Bool) throws(NotSimple) {
        texts.append(text)
        switch left {
        case .variable(let number): try push(.variableIsText, number, text: texts.count - 1)
        case .field(let number): try push(.fieldIsText, number, text: texts.count - 1)
        case .pushed: throw NotSimple()
        }
        if !isEqual { steps.append(SimpleExpression.Step(operation: .not)) }
    }

    private mutating func push(_ operation: SimpleExpression.Operation, _ operand: Int, text: Int = 0) throws(NotSimple) {
        depth += 1
        guard depth < SimpleExpression.deepest else { throw NotSimple() }
        steps.append(SimpleExpression.Step(operation: operation, operand: operand, text: text))
    }

    /// An operation that makes one value of two, or forgets one of them.
    private mutating func add(_ operation: SimpleExpression.Operation) {
        depth -= 1
        steps.append(SimpleExpression.Step(operation: operation))
    }

    // MARK: Tokens

    /// The current token's; nil at the end.
    private var kind: Token.Kind? { position < tokens.count ? tokens[position].kind : nil }

    private mutating func consume(_ kind: Token.Kind) -> Bool {
        guard self.kind == kind else { return false }
        position += 1
        return true
    }

    private mutating func takeOperator(_ operators: Operators) -> SimpleExpression.Operation? {
        guard case .symbol(let symbol)? = kind, let operation = operators[symbol] else { return nil }
        position += 1
        return operation
    }

    private mutating func takeText() -> String? {
        guard case .text(let text?)? = kind else { return nil }
        position += 1
        return text
    }
}
