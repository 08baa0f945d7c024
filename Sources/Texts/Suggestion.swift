// "Did you mean …?": the word that a mistyped one is closest to.

package enum Suggestion {
    /// The closest of the words; nil if none is close.
    package static func closest(to word: String, among words: [String]) -> String? {
        // The comparison takes quadratic time, so a long input gets no suggestion.
        guard word.utf8.count <= 64 else { return nil }
        let length = word.count
        let most = max(1, length / 3)
        // As many letters as one has more must be inserted at least.
        let candidates = words.filter { abs($0.count - length) <= most }
        let near = candidates.map { ($0, distance(word, $0)) }.filter { $0.1 <= most }
        return near.min { $0.1 < $1.1 }?.0
    }

    /// The edit distance: insertions, deletions, replacements, and swaps of neighbours.
    static func distance(_ left: String, _ right: String) -> Int {
        let (left, right) = (Array(left), Array(right))
        var before: [Int] = []
        var above = Array(0...right.count)
        for row in left.indices {
            var current = [row + 1]
            for column in right.indices {
                let isSame = left[row] == right[column]
                var best = min(above[column] + (isSame ? 0 : 1), above[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    best = min(best, before[column - 1] + 1)
                }
                current.append(best)
            }
            (before, above) = (above, current)
        }
        return above[right.count]
    }
}
