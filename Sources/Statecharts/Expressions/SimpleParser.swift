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

    private init(text: String, tokens: [Token], variables: [String: Int]) {
        self.text = text
        self.tokens = tokens
        self.variables = variables
    }

    // MARK: Precedence, from the loosest

    private mutating func or() throws(NotSimple) {
        try and()
        while consume(.keyword("or")) { try skipping(.skipIfTrue) { parser throws(NotSimple) in try parser.and() } }
    }

    private mutating func and() throws(NotSimple) {
        try comparison()
        while consume(.keyword("and")) { try skipping(.skipIfFalse) { parser throws(NotSimple) in try parser.comparison() } }
    }

    private mutating func skipping(
        _ operation: SimpleExpression.Operation, _ other: (inout SimpleParser) throws(NotSimple) -> Void
    ) throws(NotSimple) {
        let skip = steps.count
        steps.append(SimpleExpression.Step(operation: operation))
        depth -= 1
        try other(&self)
        steps[skip].operand = steps.count
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
        if consume(.keyword("not")) {
            try pushIfNeeded(try unary())
            steps.append(SimpleExpression.Step(operation: .not))
            return .pushed
        }
        if consume(.symbol("-")) {
            try pushIfNeeded(try unary())
            steps.append(SimpleExpression.Step(operation: .negate))
            return .pushed
        }
        return try operand()
    }

    // MARK: Operands

    private mutating func operand() throws(NotSimple) -> Operand {
        guard position < tokens.count else { throw NotSimple() }
        let token = tokens[position]
        position += 1
        switch token.kind {
        case .number: try pushNumber(token)
        case .keyword(let word): try pushWord(word)
        case .symbol("("): try group()
        case .name(let name): return try named(name)
        case .text, .textWithZero, .symbol: throw NotSimple()
        }
        return .pushed
    }

    private mutating func group() throws(NotSimple) {
        try or()
        guard consume(.symbol(")")) else { throw NotSimple() }
    }

    private mutating func named(_ name: String) throws(NotSimple) -> Operand {
        if let variable = variables[name] {
            guard isAtEndOfOperand else { throw NotSimple() }
            return .variable(variable)
        }
        guard name == "event", consume(.symbol(".")), position < tokens.count, let field = tokens[position].name else {
            throw NotSimple()
        }
        position += 1
        guard isAtEndOfOperand else { throw NotSimple() }
        texts.append(field)
        return .field(texts.count - 1)
    }

    /// Whether nothing is called or indexed here.
    private var isAtEndOfOperand: Bool {
        guard position < tokens.count else { return true }
        switch tokens[position].kind {
        case .symbol(let symbol):
            return ![".", "[", "(", ":", "{", "^", "..", "/", "&", "|", "~", "<<", ">>"].contains(symbol)
        case .keyword: return true
        case .name, .number, .text, .textWithZero: return false
        }
    }

    private mutating func pushNumber(_ token: Token) throws(NotSimple) {
        guard let number = Int(Substring(text.utf8.dropFirst(token.range.lowerBound).prefix(token.range.count))) else {
            throw NotSimple()
        }
        try push(.integer, number)
    }

    private mutating func pushWord(_ word: String) throws(NotSimple) {
        switch word {
        case "true": try push(.truth, 1)
        case "false": try push(.truth, 0)
        case "nil": try push(.nothing, 0)
        default: throw NotSimple()
        }
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

    /// An operation that makes one value of two.
    private mutating func add(_ operation: SimpleExpression.Operation) {
        depth -= 1
        steps.append(SimpleExpression.Step(operation: operation))
    }

    // MARK: Tokens

    private mutating func consume(_ kind: Token.Kind) -> Bool {
        guard position < tokens.count, tokens[position].kind == kind else { return false }
        position += 1
        return true
    }

    private mutating func takeOperator(_ operators: Operators) -> SimpleExpression.Operation? {
        guard position < tokens.count, case .symbol(let symbol) = tokens[position].kind, let operation = operators[symbol]
        else {
            return nil
        }
        position += 1
        return operation
    }

    private mutating func takeText() -> String? {
        guard position < tokens.count, case .text(let text?) = tokens[position].kind else { return nil }
        position += 1
        return text
    }
}
