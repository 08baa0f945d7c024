// Parses a command's syntax into arguments as COMMAND DOCS describes them.
//
// `session` is a value, `COUNT` and `0` are literal, `COUNT n` is a value with a keyword, `[…]` is optional, `a|b` is a choice, and
// `name [name …]` or `[name …]` repeats.

/// One argument of a command, or a group of them.
struct CommandArgument: Equatable {
    indirect enum Kind: Equatable {
        /// A value that the caller chooses.
        case value
        /// A literal word.
        case word
        case oneOf([CommandArgument])
        /// All of these, in order.
        case block([CommandArgument])
    }

    let name: String
    var kind: Kind
    /// The keyword before it, or the literal word.
    var token: String?
    var isOptional = false
    var isRepeated = false

    /// The arguments after the command's name.
    static func list(of syntax: some StringProtocol) -> [CommandArgument] {
        var reader = SyntaxReader(syntax)
        reader.skipName()
        return reader.arguments()
    }
}

/// The tokens of a syntax.
private enum SyntaxPiece: Equatable {
    case word(String)
    case open, close, bar, andSoOn

    static func list(of text: some StringProtocol) -> [SyntaxPiece] {
        var pieces: [SyntaxPiece] = []
        var word = ""
        for character in "\(text) " {
            let mark = piece(of: character)
            guard mark != nil || character == " " else {
                word.append(character)
                continue
            }
            if !word.isEmpty { pieces.append(.word(word)) }
            if let mark { pieces.append(mark) }
            word = ""
        }
        return pieces
    }

    private static func piece(of character: Character) -> SyntaxPiece? {
        switch character {
        case "[": .open
        case "]": .close
        case "|": .bar
        case "…": .andSoOn
        default: nil
        }
    }
}

private struct SyntaxReader {
    private var rest: ArraySlice<SyntaxPiece>

    init(_ syntax: some StringProtocol) {
        rest = SyntaxPiece.list(of: syntax)[...]
    }

    mutating func skipName() {
        rest = rest.dropFirst()
    }

    /// Up to the end, or to the closing bracket.
    mutating func arguments() -> [CommandArgument] {
        var arguments: [CommandArgument] = []
        while let argument = choice() { arguments.add(argument) }
        return arguments
    }

    /// One argument, or a choice of several.
    private mutating func choice() -> CommandArgument? {
        guard let first = phrase() else { return nil }
        var choices = [first]
        while rest.first == .bar {
            rest.removeFirst()
            guard let next = phrase() else { break }
            choices.append(next)
        }
        return choices.count == 1 ? first : CommandArgument(name: first.name, kind: .oneOf(choices))
    }

    /// A value, a bracket, or a keyword with the values and brackets after it.
    private mutating func phrase() -> CommandArgument? {
        switch rest.first {
        case .word(let word):
            rest.removeFirst()
            guard word.isToken else { return CommandArgument(name: word, kind: .value) }
            return CommandArgument(token: word, before: word.isNumber ? [] : followers())
        case .open:
            return brackets()
        case .close, .bar, .andSoOn, nil:
            return nil
        }
    }

    private mutating func followers() -> [CommandArgument] {
        var followers: [CommandArgument] = []
        while !isAtToken, let follower = phrase() { followers.add(follower) }
        return followers
    }

    private var isAtToken: Bool {
        if case .word(let word) = rest.first { word.isToken } else { false }
    }

    private mutating func brackets() -> CommandArgument? {
        rest.removeFirst()
        guard var argument = CommandArgument(allOf: arguments()) else { return nil }
        if rest.first == .andSoOn {
            rest.removeFirst()
            argument.isRepeated = true
        }
        if rest.first == .close { rest.removeFirst() }
        argument.isOptional = true
        return argument
    }
}

extension CommandArgument {
    /// A keyword and what follows it; a single required value takes it as its token.
    fileprivate init(token: String, before followers: [CommandArgument]) {
        if followers.isEmpty {
            self.init(name: token.lowercased(), kind: .word, token: token)
        } else if followers.count == 1, followers[0].kind == .value, !followers[0].isOptional {
            self = followers[0]
            self.token = token
        } else {
            self.init(name: token.lowercased(), kind: .block(followers), token: token)
        }
    }

    /// Several arguments as a group; nil if there are none.
    fileprivate init?(allOf arguments: [CommandArgument]) {
        guard let first = arguments.first else { return nil }
        let isOne = arguments.count == 1 && !first.isOptional && !first.isRepeated
        self = isOne ? first : CommandArgument(name: first.name, kind: .block(arguments))
    }
}

extension [CommandArgument] {
    /// `name [name …]` is one repeated argument.
    fileprivate mutating func add(_ argument: CommandArgument) {
        if let last, argument.isOptional, argument.isRepeated, last.name == argument.name, last.kind == argument.kind {
            self[count - 1].isRepeated = true
        } else {
            append(argument)
        }
    }
}

extension String {
    /// Capitals or digits: literal.
    fileprivate var isToken: Bool { !contains(where: \.isLowercase) }

    /// A number takes no arguments: in `2|3 [AUTH …]` the bracket is separate.
    fileprivate var isNumber: Bool { allSatisfy(\.isWholeNumber) }
}
