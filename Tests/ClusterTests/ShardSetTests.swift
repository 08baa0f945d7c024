import Seeds
import Testing

@testable import Cluster

@Suite struct `A set of shards` {
    private func random(_ generator: inout SeededGenerator, upTo most: Int) -> Set<Int> {
        Set((0..<Int.random(in: 0...40, using: &generator)).map { _ in Int.random(in: 0..<most, using: &generator) })
    }

    private func bits(_ shards: Set<Int>) -> ShardSet {
        var set = ShardSet()
        for shard in shards { set.insert(shard) }
        return set
    }

    @Test func `A set of shards behaves like any other set, and lists its shards in rising order`() {
        var generator = SeededGenerator.announced("sets of shards", seed: 20)
        for _ in 0..<500 {
            let one = random(&generator, upTo: [1, 64, 65, 500].randomElement(using: &generator) ?? 1)
            let other = random(&generator, upTo: [1, 64, 65, 500].randomElement(using: &generator) ?? 1)
            let (first, second) = (bits(one), bits(other))
            var union = first
            union.formUnion(second)
            #expect(Array(first) == one.sorted() && first.count == one.count && first.isEmpty == one.isEmpty)
            #expect(Array(union) == one.union(other).sorted() && union.count == one.union(other).count)
            let (both, rest) = (first.intersection(second), first.subtracting(second))
            #expect(Array(both) == one.intersection(other).sorted() && both.count == one.intersection(other).count)
            #expect(Array(rest) == one.subtracting(other).sorted() && rest.count == one.subtracting(other).count)
            #expect(first.last(notIn: second) == one.subtracting(other).max())
            var less = first
            for shard in other { less.remove(shard) }
            #expect(Array(less) == one.subtracting(other).sorted() && less == rest)
            #expect((-1..<600).allSatisfy { first.contains($0) == one.contains($0) })
            #expect((first == second) == (one == other))
        }
    }
}
