// What somebody may have meant who has mistyped a word.

package enum Likeness {
    /// The word that is most like this one, if any is like it at all.
    package static func closest(to word: String, among words: [String]) -> String? {
        // Nobody mistypes as much as that, and to compare takes as long as both together are long, squared.
        guard word.utf8.count <= 64 else { return nil }
        let most = max(1, word.count / 3)
        let near = words.map { ($0, distance(word, $0)) }.filter { $0.1 <= most }
        return near.min { $0.1 < $1.1 }?.0
    }

    /// How many letters must be put in, taken out, replaced or swapped with the next.
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
