import RESP
import Seeds
import Testing

@testable import Web

@Suite struct `The changes of sessions` {
    /// Whoever follows them from any point on knows, in the end, the latest of everything that has changed since.
    @Test func `are the same as a list of all of them, for whoever comes back`() {
        var random = SeededGenerator.announced("changes of sessions", seed: 13)
        var (changes, list): (Changes, [(number: UInt64, slot: UInt32?)]) = (Changes(), [])
        for step in 0..<5_000 {
            if step % 1_700 == 1_000 { changes.forget() }
            let number = changes.next
            if Int.random(in: 0..<10, using: &random) == 0 {
                changes.add(gone: ByteString("gone \(number)"))
                list.append((number, nil))
            } else {
                let slot = UInt32.random(in: 0..<200, using: &random)
                changes.add(slot: slot)
                list.append((number, slot))
            }
            guard Int.random(in: 0..<50, using: &random) == 0 else { continue }
            let start = UInt64.random(in: changes.oldest...changes.next, using: &random)
            let (slots, gone) = follow(changes, from: start, by: Int.random(in: 1..<100, using: &random))
            let since = list.filter { $0.number >= start }
            #expect(Set(slots) == Set(since.compactMap(\.slot)))
            #expect(slots.count == Set(slots).count, "a session is met once")
            #expect(gone == since.filter { $0.slot == nil }.map { "gone \($0.number)" })
        }
    }

    private func follow(_ changes: Changes, from start: UInt64, by count: Int) -> (slots: [UInt32], gone: [String]) {
        var (number, slots, gone): (UInt64, [UInt32], [String]) = (start, [], [])
        while number < changes.next {
            let found = changes.changes(from: number, atMost: count)
            slots += found.slots
            gone += found.gone.map(\.text)
            number = found.next
        }
        return (slots, gone)
    }

    @Test func `that are too many leave whoever is behind with the whole`() {
        var changes = Changes()
        for slot in 0..<100_000 { changes.add(slot: UInt32(slot)) }
        #expect(changes.oldest > 0 && changes.next == 100_000)
        #expect(changes.changes(from: changes.oldest, atMost: .max).slots.count == Int(changes.next - changes.oldest))
    }

    @Test func `that nobody follows are not gone on with`() {
        var changes = Changes()
        changes.add(slot: 1)
        let before = changes.next
        changes.forget()
        #expect(before < changes.oldest)
    }
}
