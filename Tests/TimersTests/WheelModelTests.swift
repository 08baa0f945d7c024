// The wheel is compared with a trivial model: a list sorted by deadline, then by order of arming.

import Seeds
import Testing

@testable import Timers

/// The model of a wheel.
private struct SortedModel {
    struct Entry: Equatable {
        let deadline: Int64
        let order: Int
        let token: UInt
    }

    private(set) var entries: [Entry] = []
    private var orders = 0

    mutating func arm(_ token: UInt, at deadline: Int64) {
        disarm(token)
        orders += 1
        let index = entries.partitionPoint { $0.deadline <= deadline }
        entries.insert(Entry(deadline: deadline, order: orders, token: token), at: index)
    }

    mutating func disarm(_ token: UInt) {
        entries.removeAll { $0.token == token }
    }

    mutating func popDue(at now: Int64) -> Entry? {
        guard let first = entries.first, first.deadline <= now else { return nil }
        return entries.removeFirst()
    }
}

extension [SortedModel.Entry] {
    fileprivate func partitionPoint(_ belongsBefore: (SortedModel.Entry) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if belongsBefore(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// The distribution of deadlines and of time steps in one run.
struct WheelWorkload: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let seed: UInt64
    let delay: @Sendable (inout SeededGenerator) -> Int64
    let step: @Sendable (inout SeededGenerator) -> Int64

    static let all = [
        WheelWorkload(
            testDescription: "a few nanoseconds", seed: 1,
            delay: { .random(in: 0...200, using: &$0) }, step: { .random(in: 0...40, using: &$0) }),
        WheelWorkload(
            testDescription: "milliseconds to minutes", seed: 2,
            delay: { .random(in: 0...90_000_000_000, using: &$0) }, step: { .random(in: 0...2_000_000_000, using: &$0) }),
        WheelWorkload(
            testDescription: "few distinct deadlines", seed: 3,
            delay: { .random(in: 0...3, using: &$0) * 1_000_000_000 }, step: { .random(in: 0...1, using: &$0) * 500_000_000 }),
        WheelWorkload(
            testDescription: "around the borders of levels", seed: 4,
            delay: { border(using: &$0) }, step: { border(using: &$0) / 16 }),
        WheelWorkload(
            testDescription: "every magnitude, after long idle gaps", seed: 5,
            delay: { magnitude(upTo: 61, using: &$0) },
            step: { Int.random(in: 0..<20, using: &$0) == 0 ? magnitude(upTo: 49, using: &$0) : 3 }),
        WheelWorkload(
            testDescription: "overdue ones among others", seed: 6,
            delay: { .random(in: -5_000...5_000, using: &$0) }, step: { .random(in: 0...700, using: &$0) }),
    ]

    private static func border(using random: inout SeededGenerator) -> Int64 {
        let edge = Int64(1) << (6 * Int64.random(in: 1...7, using: &random))
        return edge * Int64.random(in: 1...2, using: &random) + .random(in: -2...2, using: &random)
    }

    private static func magnitude(upTo bits: Int, using random: inout SeededGenerator) -> Int64 {
        Int64(random.next() >> 2) >> (62 - Int.random(in: 0...bits, using: &random))
    }
}

/// The wheel and the model, driven by the same random operations.
private struct WheelComparison: ~Copyable {
    var wheel = TimerWheel()
    var model = SortedModel()
    var ids: [TimerID?]
    var now: Int64 = 1_000_000
    var random: SeededGenerator
    let workload: WheelWorkload

    init(_ workload: WheelWorkload, timers: Int) {
        self.workload = workload
        random = .announced("wheel, \(workload.testDescription)", seed: workload.seed)
        ids = Array(repeating: nil, count: timers)
    }

    /// One random operation; false as soon as the two disagree.
    mutating func step() -> Bool {
        let token = UInt.random(in: 0..<UInt(ids.count), using: &random)
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<6: arm(token, at: now.addingReportingOverflow(workload.delay(&random)).partialValue & .max)
        case 6: disarm(token)
        case 7: guard remove(token) else { return false }
        default: return advance()
        }
        return agreesOn(token)
    }

    private mutating func arm(_ token: UInt, at deadline: Int64) {
        let id = ids[Int(token)] ?? wheel.add(token: token)
        ids[Int(token)] = id
        wheel.arm(slot: id.slot, at: Instant(nanoseconds: deadline))
        model.arm(token, at: deadline)
    }

    private mutating func disarm(_ token: UInt) {
        guard let id = ids[Int(token)] else { return }
        wheel.disarm(slot: id.slot, as: .idle)
        model.disarm(token)
    }

    /// False if the removed timer's id is not stale.
    private mutating func remove(_ token: UInt) -> Bool {
        guard let id = ids[Int(token)] else { return true }
        wheel.remove(slot: id.slot)
        ids[Int(token)] = nil
        model.disarm(token)
        return !wheel.slab.holds(id)
    }

    private mutating func advance() -> Bool {
        if wheel.nextWake.map({ $0.nanoseconds }) ?? .max > model.entries.first?.deadline ?? .max { return false }
        now += workload.step(&random)
        while true {
            var moves = Bool.random(using: &random) ? Int.max : .random(in: 1...100, using: &random)
            let mine = wheel.popDue(at: Instant(nanoseconds: now), &moves)
            if mine == nil, wheel.isCollecting {
                meddle()
                continue
            }
            let expected = model.popDue(at: now)
            guard mine?.token == expected?.token else { return false }
            guard let mine else { return wheel.armedCount == model.entries.count }
            guard mine.deadline.nanoseconds <= now else { return false }
            if Int.random(in: 0..<4, using: &random) == 0 { meddle() }
        }
    }

    /// Effects of a firing on the others of its turn: it may stop or rearm one.
    private mutating func meddle() {
        let token = UInt.random(in: 0..<UInt(ids.count), using: &random)
        if Bool.random(using: &random) {
            disarm(token)
        } else {
            arm(token, at: now + max(0, workload.delay(&random)))
        }
    }

    private func agreesOn(_ token: UInt) -> Bool {
        let armed = ids[Int(token)].flatMap { wheel.deadline(ofSlot: $0.slot) } != nil
        return armed == model.entries.contains { $0.token == token }
    }
}

@Suite struct `The wheel and a sorted list` {
    @Test(arguments: WheelWorkload.all)
    func `The wheel and a sorted list agree on each of 200,000 random operations`(workload: WheelWorkload) {
        var comparison = WheelComparison(workload, timers: 150)
        for operation in 0..<200_000 where !comparison.step() {
            Issue.record("they differ at operation \(operation), at \(comparison.now)")
            return
        }
    }

    @Test func `The wheel and a sorted list agree when thousands of timers are armed at once`() {
        var comparison = WheelComparison(WheelWorkload.all[1], timers: 5_000)
        for operation in 0..<20_000 where !comparison.step() {
            Issue.record("they differ at operation \(operation), at \(comparison.now)")
            return
        }
    }
}
