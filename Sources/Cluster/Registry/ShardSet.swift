// A set of shards, a bit for each: plans compare sets of thousands.

package struct ShardSet: Equatable, Sendable {
    /// The last of them is not 0.
    private var words: [UInt64] = []
    package private(set) var count = 0

    package init() {}

    package var isEmpty: Bool { count == 0 }

    package func contains(_ shard: Int) -> Bool {
        let word = shard / 64
        return shard >= 0 && word < words.count && words[word] & bit(shard) != 0
    }

    package mutating func insert(_ shard: Int) {
        guard !contains(shard) else { return }
        reserve(shard / 64 + 1)
        words[shard / 64] |= bit(shard)
        count += 1
    }

    package mutating func remove(_ shard: Int) {
        guard contains(shard) else { return }
        words[shard / 64] &= ~bit(shard)
        count -= 1
        trim()
    }

    package mutating func formUnion(_ other: ShardSet) {
        guard !other.isEmpty else { return }
        reserve(other.words.count)
        for word in other.words.indices { words[word] |= other.words[word] }
        recount()
    }

    package func intersection(_ other: ShardSet) -> ShardSet {
        isEmpty || other.isEmpty ? ShardSet() : combined(with: other, &)
    }

    package func subtracting(_ other: ShardSet) -> ShardSet { other.isEmpty ? self : combined(with: other) { $0 & ~$1 } }

    package func last(notIn other: ShardSet) -> Int? {
        for word in words.indices.reversed() {
            let rest = words[word] & ~other.word(word)
            if rest != 0 { return word * 64 + 63 - rest.leadingZeroBitCount }
        }
        return nil
    }

    private func bit(_ shard: Int) -> UInt64 { 1 << UInt64(shard % 64) }

    private func word(_ index: Int) -> UInt64 { index < words.count ? words[index] : 0 }

    private mutating func reserve(_ count: Int) {
        if count > words.count { words.append(contentsOf: repeatElement(0, count: count - words.count)) }
    }

    private mutating func trim() {
        while words.last == 0 { words.removeLast() }
    }

    private func combined(with other: ShardSet, _ combine: (UInt64, UInt64) -> UInt64) -> ShardSet {
        var result = ShardSet()
        result.words = words.indices.map { combine(words[$0], other.word($0)) }
        result.trim()
        result.recount()
        return result
    }

    private mutating func recount() {
        count = words.reduce(0) { $0 + $1.nonzeroBitCount }
    }
}

/// In rising order.
extension ShardSet: Sequence {
    package struct Iterator: IteratorProtocol {
        fileprivate let words: [UInt64]
        fileprivate var word = 0
        /// The remaining bits of that word.
        fileprivate var rest: UInt64

        package mutating func next() -> Int? {
            while rest == 0 {
                word += 1
                guard word < words.count else { return nil }
                rest = words[word]
            }
            defer { rest &= rest - 1 }
            return word * 64 + rest.trailingZeroBitCount
        }
    }

    package func makeIterator() -> Iterator { Iterator(words: words, rest: words.first ?? 0) }

    package var underestimatedCount: Int { count }
}
