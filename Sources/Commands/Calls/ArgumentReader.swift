// Reads the words of one call, in order, for a typed request.

import Memory
import RESP
import Sessions
import Texts

/// Positional arguments come first, then clauses in any order: a keyword and the words after it.
package struct ArgumentReader {
    /// A keyword, and how many words follow it.
    struct Clause: Sendable {
        let keyword: String
        let words: Int
    }

    let call: Call
    private let words: Words
    private var next: Int
    private var end: Int
    /// The number of words in the clauses that have been read.
    private var inClauses = 0
    private let clauses: [Clause]
    /// The number of words that the arguments to come cannot do without.
    private var needed: Int

    init(_ call: Call, from first: Int, needed: Int, clauses: [Clause]) {
        (self.call, words, next, end) = (call, call.arguments, first, call.arguments.count)
        (self.needed, self.clauses) = (needed, clauses)
    }

    var usage: String { call.command.syntax }
    private var left: Int { end - next }
    var hasMore: Bool { left > 0 }

    /// A word that must be there: the number of words has been checked.
    mutating func word() throws(CommandError) -> Argument {
        guard left > 0 else { throw .syntax(usage) }
        needed -= 1
        return nextWord()
    }

    /// A word that may be there. Those are for later arguments that must be there, and then for clauses.
    mutating func optionalWord() -> Argument? {
        guard left > needed, !hasOnlyClauses else { return nil }
        return nextWord()
    }

    private mutating func nextWord() -> Argument {
        defer { next += 1 }
        return words[next]
    }

    /// The words up to the first keyword, but at least this many.
    mutating func several(atLeast least: Int) -> [Argument] {
        needed -= least
        var found: [Argument] = []
        while left > needed, found.count < least || clause(at: next) == nil { found.append(nextWord()) }
        return found
    }

    // MARK: Clauses

    /// Reads the words after a keyword; nil if it is not there.
    mutating func clause(_ keyword: String) -> ArgumentReader? {
        var place = next
        while let clause = completeClause(at: place) {
            let after = place + 1 + clause.words
            if clause.keyword == keyword {
                inClauses += 1 + clause.words
                var reader = self
                (reader.next, reader.end, reader.needed) = (place + 1, after, clause.words)
                return reader
            }
            place = after
        }
        return nil
    }

    private var hasOnlyClauses: Bool {
        var place = next
        while let clause = completeClause(at: place) { place += 1 + clause.words }
        return place == end
    }

    private func clause(at place: Int) -> Clause? {
        guard place < end, !clauses.isEmpty else { return nil }
        return clauses.first { words[place].isKeyword($0.keyword) }
    }

    /// The same if all of its words are there.
    private func completeClause(at place: Int) -> Clause? {
        clause(at: place).flatMap { place + 1 + $0.words <= end ? $0 : nil }
    }

    /// Throws if words are left.
    func finish() throws(CommandError) {
        guard left == inClauses else { throw .syntax(usage) }
    }
}

extension Argument {
    /// Whether this is the word, in capitals or not.
    fileprivate func isKeyword(_ word: String) -> Bool {
        count == word.utf8.count && zip(bytes, word.utf8).allSatisfy { $0 == $1 || $0.capital == $1.capital }
    }

    /// As an error quotes it.
    var quoted: String { beginning.repairedText.shortened }
}
