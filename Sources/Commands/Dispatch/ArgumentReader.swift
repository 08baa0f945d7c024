// Reads the words of one call, in order, for a typed request.

import GameFlow
import Memory
import RESP
import Sessions
import Texts
import Timers

/// Positional arguments come first, then pairs of a keyword and a value in any order.
package struct ArgumentReader {
    let call: Call
    private let words: Words
    private var next: Int
    /// The number of words in pairs of a keyword and a value.
    private var keyed = 0
    /// Whether pairs of a keyword and its value may follow.
    private let hasKeywords: Bool

    init(_ call: Call, from first: Int, hasKeywords: Bool) {
        (self.call, words, next, self.hasKeywords) = (call, call.arguments, first, hasKeywords)
    }

    var usage: String { call.command.syntax }
    private var left: Int { words.count - next }

    /// The next word. There must be one: the number of words has been checked.
    mutating func word() throws(CommandError) -> Argument {
        guard left > 0 else { throw .syntax(usage) }
        defer { next += 1 }
        return words[next]
    }

    /// The next word, unless it is the first of the keywords: those come in pairs.
    mutating func optionalWord() throws(CommandError) -> Argument? {
        guard left > 0, !hasKeywords || !left.isMultiple(of: 2) else { return nil }
        return try word()
    }

    /// All words that are left.
    mutating func rest() -> [Argument] {
        defer { next = words.count }
        return (next..<words.count).map { words[$0] }
    }

    /// Whether the literal word follows.
    mutating func flag(_ flag: String) throws(CommandError) -> Bool {
        guard let word = try optionalWord() else { return false }
        guard word.isKeyword(flag) else { throw .syntax(usage) }
        return true
    }

    /// The word after a keyword.
    mutating func value(after keyword: String) -> Argument? {
        for place in stride(from: next, to: words.count - 1, by: 2) where words[place].isKeyword(keyword) {
            keyed += 2
            return words[place + 1]
        }
        return nil
    }

    /// Throws if words are left.
    func finish() throws(CommandError) {
        guard left == keyed else { throw .syntax(usage) }
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
