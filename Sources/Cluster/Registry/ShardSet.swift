// A set of shards, a bit for each: plans compare sets of thousands.

package struct ShardSet: Equatable, Sendable {
    private var words: [UInt64] = []

    package init() {}

    package var isEmpty: Bool { words.allSatisfy { $0 == 0 } }

    package func contains(_ shard: Int) -> Bool {
        let word = shard / 64
        return word < words.count && words[word] >> UInt64(shard % 64) & 1 != 0
    }

    package mutating func insert(_ shard: Int) {
        let word = shard / 64
        if word >= words.count { words.append(contentsOf: repeatElement(0, count: word + 1 - words.count)) }
        words[word] |= 1 << UInt64(shard % 64)
    }

    package mutating func remove(_ shard: Int) {
        let word = shard / 64
        if word < words.count { words[word] &= ~(1 << UInt64(shard % 64)) }
    }

    /// The last shard that is not in the other set, too.
    package func last(notIn other: ShardSet) -> Int? {
        for word in words.indices.reversed() {
            let rest = words[word] & ~(word < other.words.count ? other.words[word] : 0)
            if rest != 0 { return word * 64 + 63 - rest.leadingZeroBitCount }
        }
        return nil
    }
}
