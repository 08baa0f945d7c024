// Assigns words to the arguments of a command, and lists the arguments that can follow, from the description of the arguments.

import Texts

/// The possible arguments at one position among the words.
package struct ArgumentPlace {
    /// Words that are typed as they are.
    package fileprivate(set) var literals: [String] = []
    /// Arguments whose values the caller chooses.
    package fileprivate(set) var values: [CommandArgument] = []

    /// The argument that has the word as its value; nil if the word is a literal, or one too many.
    package func argument(for word: String) -> CommandArgument? {
        let word = word.uppercased()
        return literals.contains { $0.uppercased() == word } ? nil : values.first
    }
}

/// The places of some words, without the command's name.
package struct ArgumentPlaces {
    private let words: [String]
    /// Are never values of arguments that may be left out.
    private let keywords: Set<String>
    /// One for each word, and that after the last one.
    private var places: [ArgumentPlace]
    /// How many words are a beginning of the arguments.
    private var reach = 0
    private var isWhole = false

    package init(of arguments: [CommandArgument], in words: [String]) {
        self.words = words
        keywords = Set(arguments.compactMap(\.token))
        places = Array(repeating: ArgumentPlace(), count: words.count + 1)
        isWhole = ends(of: arguments[...], from: [0]).contains(words.count)
    }

    /// Why the words cannot be these arguments, for the first that does not fit; nil if they can.
    package var problem: String? {
        guard isWhole else {
            return reach < words.count ? "'\(words[reach].shortened)' does not fit there" : "something is missing at the end"
        }
        for (word, argument) in values {
            guard case .integer(let least) = argument.type, Int(word) ?? least - 1 < least else { continue }
            return "'\(word.shortened)' is not a whole number from \(least) on"
        }
        return nil
    }

    /// The place after the last word.
    package var next: ArgumentPlace { places[words.count] }

    /// Each word that is an argument's value, with its argument.
    package var values: [(word: String, argument: CommandArgument)] {
        zip(words, places).compactMap { word, place in place.argument(for: word).map { (word, $0) } }
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
            for start in starts { places[start].values.append(argument) }
            let isRequired = argument.token != nil || !argument.isOptional
            return reached(starts.filter { $0 < words.count && (isRequired || !isKeyword(words[$0])) })
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
        for start in starts { places[start].literals.append(word) }
        return reached(starts.filter { $0 < words.count && words[$0].uppercased() == word.uppercased() })
    }

    /// The positions behind these words, which fit.
    private mutating func reached(_ positions: Set<Int>) -> Set<Int> {
        let ends = Set(positions.map { $0 + 1 })
        reach = max(reach, ends.max() ?? 0)
        return ends
    }
}
