// The numbered changes that a feed follows.

import Memory
import RESP
import Seeds
import Testing
@testable import Commands

@Suite struct `The changes of sessions` {
    @Test func `A client that follows changes from any number gets each changed session and each removal once`() {
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
            #expect(slots.count == Set(slots).count, "each session is returned once")
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

    /// Models a client's rows: the number of the last change of each slot that the client received.
    @Test func `A scan of slots finds all changes that exceed the capacity`() {
        var random = SeededGenerator.announced("changes of too many sessions", seed: 17)
        var (changes, truth): (Changes, [UInt32: UInt64]) = (Changes(), [:])
        func change(_ count: Int) {
            for _ in 0..<count {
                let slot = UInt32.random(in: 0..<90_000, using: &random)
                truth[slot] = changes.next
                changes.add(slot: slot)
            }
        }
        change(1_000)
        let (since, known) = (changes.next, truth)
        change(2 * Changes.capacity)
        changes.add(gone: "a")
        #expect(since < changes.oldest && changes.isKnown(from: since))
        let then = changes.next
        var (told, slot): (Set<UInt32>, Int?) = ([], 0)
        while let first = slot {
            let found = changes.slots(from: first, changedSince: since, atMost: 500)
            told.formUnion(found.slots)
            slot = found.next
            change(10)
        }
        told.formUnion(changes.changes(from: then, atMost: .max).slots)
        #expect(told == Set(truth.filter { known[$0.key] != $0.value }.keys))
        #expect(changes.gone(from: since, before: then).names == ["a"])
    }

    @Test func `Changes from before a forgotten removal are unknown, and later changes are known`() {
        var changes = Changes()
        let start = changes.next
        changes.add(gone: "a")
        for slot in 0..<Changes.capacity { changes.add(slot: UInt32(slot)) }
        #expect(!changes.isKnown(from: start) && changes.isKnown(from: start + 1))
    }

    @Test func `Changes are forgotten while no client follows them, and the next number is known`() {
        var changes = Changes()
        changes.add(slot: 1)
        let before = changes.next
        changes.forget()
        #expect(!changes.isKnown(from: before) && changes.isKnown(from: changes.next))
    }
}
