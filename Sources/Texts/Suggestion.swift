// "Did you mean …?": the word that a mistyped one is closest to.

package enum Suggestion {
    /// The closest of the words; nil if none is close.
    package static func closest(to word: String, among words: [String]) -> String? {
        // The comparison takes quadratic time, so a long input gets no suggestion.
        guard word.utf8.count <= 64 else { return nil }
        let words = affordable(words, for: word)
        if let same = words.first(where: { $0.lowercased() == word.lowercased() }) { return same }
        let length = word.count
        let most = max(1, length / 3)
        // As many letters as one has more must be inserted at least.
        let candidates = words.filter { abs($0.count - length) <= most }
        // Words that share no letter are not close, however short they are.
        let near = candidates.map { ($0, distance(word, $0)) }.filter { $0.1 <= most && $0.1 < max($0.0.count, length) }
        return near.min { $0.1 < $1.1 }?.0
    }

    /// Letters that are compared at most for one suggestion: they take some milliseconds.
    private static let maxComparisons = 1_000_000

    /// The first of very many words: the sender of a wrong word must not block other clients.
    private static func affordable(_ words: [String], for word: String) -> [String] {
        var left = maxComparisons
        let end = words.firstIndex { other in
            // Even words that are not compared letter by letter are looked at.
            left -= abs(other.utf8.count - word.utf8.count) > 4 * word.utf8.count ? 50 : 50 + other.utf8.count * word.utf8.count
            return left < 0
        }
        return end.map { Array(words[..<$0]) } ?? words
    }

    /// The edit distance: insertions, deletions, replacements, and swaps of neighbours.
    static func distance(_ left: String, _ right: String) -> Int {
        // Bytes are compared many times faster than characters, and clients can bring this about.
        guard (left + right).utf8.allSatisfy({ $0 < 0x80 }) else { return distance(Array(left), Array(right)) }
        return distance(Array(left.utf8), Array(right.utf8))
    }

    private static func distance<Letter: Equatable>(_ left: [Letter], _ right: [Letter]) -> Int {
        var before = [Int](repeating: 0, count: right.count + 1)
        var (above, current) = (Array(0...right.count), before)
        for row in left.indices {
            current[0] = row + 1
            for column in right.indices {
                let isSame = left[row] == right[column]
                var best = min(above[column] + (isSame ? 0 : 1), above[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    best = min(best, before[column - 1] + 1)
                }
                current[column + 1] = best
            }
            (before, above, current) = (above, current, before)
        }
        return above[right.count]
    }
}
