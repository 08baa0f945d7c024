// The words that can follow in a command, from the description of its arguments.

import Commands

/// The arguments that can come after some words.
struct NextArguments {
    private let words: [String]
    /// Are never values of arguments that may be left out.
    private let keywords: Set<String>
    /// Words that are typed as they are.
    private(set) var literals: [String] = []
    /// Arguments whose values the caller chooses.
    private(set) var values: [CommandArgument] = []

    init(of arguments: [CommandArgument], after words: [String]) {
        self.words = words
        keywords = Set(arguments.compactMap(\.token))
        _ = ends(of: arguments[...], from: [0])
    }

    /// The positions among the words at which these arguments can end, if they begin at one of `starts`.
    private mutating func ends(of arguments: ArraySlice<CommandArgument>, from starts: Set<Int>) -> Set<Int> {
        guard let first = arguments.first, !starts.isEmpty else { return starts }
        let clauses = arguments.prefix { $0.isOptional && $0.token != nil }
        let (count, ends) =
            clauses.count > 1
            ? (clauses.count, ends(ofClauses: clauses, from: starts)) : (1, self.ends(of: first, from: starts))
        return self.ends(of: arguments.dropFirst(count), from: ends)
    }

    /// Optional arguments with keywords may stand in any order.
    private mutating func ends(ofClauses clauses: ArraySlice<CommandArgument>, from starts: Set<Int>) -> Set<Int> {
        var ends = starts
        for index in clauses.indices {
            let others = clauses[..<index] + clauses[(index + 1)...]
            let next = endsOnce(of: clauses[index], from: starts)
            if !next.isEmpty { ends.formUnion(self.ends(ofClauses: others, from: next)) }
        }
        return ends
    }

    private mutating func ends(of argument: CommandArgument, from starts: Set<Int>) -> Set<Int> {
        var ends = endsOnce(of: argument, from: starts)
        var new = ends
        while argument.isRepeated, !new.isEmpty {
            new = endsOnce(of: argument, from: new).subtracting(ends)
            ends.formUnion(new)
        }
        return argument.isOptional ? ends.union(starts) : ends
    }

    private mutating func endsOnce(of argument: CommandArgument, from starts: Set<Int>) -> Set<Int> {
        switch argument.kind {
        case .word: return ends(ofLiteral: argument.token ?? argument.name, from: starts)
        case .value:
            let starts = startsAfterKeyword(of: argument, starts)
            if starts.contains(words.count) { values.append(argument) }
            let isRequired = argument.token != nil || !argument.isOptional
            return Set(starts.filter { $0 < words.count && (isRequired || !isKeyword(words[$0])) }.map { $0 + 1 })
        case .oneOf(let choices):
            let starts = startsAfterKeyword(of: argument, starts)
            var ends: Set<Int> = []
            for choice in choices { ends.formUnion(self.ends(of: choice, from: starts)) }
            return ends
        case .block(let parts): return ends(of: parts[...], from: startsAfterKeyword(of: argument, starts))
        }
    }

    private func isKeyword(_ word: String) -> Bool { keywords.contains(word.uppercased()) }

    private mutating func startsAfterKeyword(of argument: CommandArgument, _ starts: Set<Int>) -> Set<Int> {
        argument.token.map { ends(ofLiteral: $0, from: starts) } ?? starts
    }

    private mutating func ends(ofLiteral word: String, from starts: Set<Int>) -> Set<Int> {
        if starts.contains(words.count) { literals.append(word) }
        return Set(starts.filter { $0 < words.count && words[$0].uppercased() == word.uppercased() }.map { $0 + 1 })
    }
}

// MARK: - The arguments of gamectl's own commands, which have no description but their syntax

extension CommandArgument {
    /// Stand for something, and are not typed as they are.
    private static let placeholders: Set = ["FILE", "DIR", "NAME", "WORD", "PATTERN", "HOST:PORT", "PATH", "GLOB"]

    /// The arguments in a syntax such as `watch [GLOB]`. Options and their values are left out.
    static func list(inSyntax syntax: String) -> [CommandArgument] {
        var (arguments, isValue) = ([CommandArgument](), false)
        for part in syntax.split(separator: " ").dropFirst() {
            let word = part.filter { !"[]…".contains($0) }
            if part.contains("…"), !arguments.isEmpty { arguments[arguments.count - 1].isRepeated = true }
            if word.hasPrefix("--") {
                isValue = !part.hasSuffix("]")
            } else if isValue {
                isValue = false
            } else if !word.isEmpty {
                arguments.append(argument(word, isOptional: part.hasPrefix("[")))
            }
        }
        return arguments
    }

    /// `bash|zsh|fish` and `OFF` are typed as they are; `FILE` and `session` stand for something.
    private static func argument(_ text: String, isOptional: Bool) -> CommandArgument {
        let words = text.split(separator: "|").map(String.init)
        let isPlaceholder =
            words.contains(where: placeholders.contains) || words.count == 1 && text.contains(where: \.isLowercase)
        guard !isPlaceholder else { return CommandArgument(text, isOptional: isOptional) }
        return CommandArgument(
            text, .oneOf(words.map { CommandArgument($0, .word, token: $0) }), isOptional: isOptional)
    }
}
