// Countdowns with milestones are compared with a trivial model: a number of nanoseconds that is counted down,
// and a list of firings.

import Seeds
import Testing

@testable import Timers

/// The model of one countdown.
private struct CountedDown {
    let milestones: [Int64]
    var left: Int64
    /// Milestones ahead, in order.
    var toCome: [Int64]
    var isPaused = false
    var isOver = false

    init(_ milestones: [Int64], _ length: Int64) {
        self.milestones = milestones.sorted(by: >)
        left = length
        toCome = self.milestones.filter { $0 < length }
    }

    /// The time until the next firing if it runs.
    var next: Int64 { max(0, left - (toCome.first ?? 0)) }

    mutating func extend(_ by: Int64) {
        left += by
        toCome = milestones.filter { $0 < left || toCome.contains($0) }
        left = max(0, left)
    }

    /// The firing that is due now; nil if none is.
    mutating func comesNow() -> String? {
        if let milestone = toCome.first {
            guard milestone >= left else { return nil }
            toCome.removeFirst()
            return "\(milestone)"
        }
        guard left == 0, !isOver else { return nil }
        isOver = true
        return "end"
    }
}

@Suite struct `Milestones at random` {
    private static let maxCount: Int64 = 400

    /// One countdown on a clock, and its model.
    private struct Pair {
        let watch = Stopwatch()
        let timer: Countdown
        var model: CountedDown
        var isFrozen = false
        var expected: [String] = []

        init(_ random: inout SeededGenerator) throws {
            let milestones = Set(
                (0..<Int.random(in: 0...5, using: &random)).map { _ in Int64.random(in: 1...maxCount, using: &random) })
            let length = Int64.random(in: 0...maxCount, using: &random)
            let plan = TimerPlan.countdown(
                "it", .nanoseconds(length), milestones: milestones.map { Milestone(.nanoseconds($0)) })
            watch.host.name = { $0.milestone.map { "\($0.nanoseconds)" } ?? "end" }
            timer = try Countdown(plan, on: watch.flow)
            model = CountedDown(Array(milestones), length)
        }

        mutating func step(_ random: inout SeededGenerator) throws {
            var fires = false
            switch Int.random(in: 0..<12, using: &random) {
            case 0: (model.isPaused, fires) = (true, false); timer.pause()
            case 1, 2: model.isPaused = false; timer.resume()
            case 3: isFrozen = true; watch.flow.freeze()
            case 4, 5: isFrozen = false; watch.flow.resume()
            case 6, 7, 8:
                guard !model.isOver else { break }
                let by = Int64.random(in: -Self.maxChange...Self.maxChange, using: &random)
                try timer.extend(by: .nanoseconds(by))
                model.extend(by)
                fires = true
            default: try advance(.random(in: 0...100, using: &random))
            }
            settle(evenStanding: fires)
            watch.advance(.zero)
            try compare()
        }

        private static let maxChange: Int64 = 150

        private mutating func advance(_ duration: Int64) throws {
            let goal = watch.keeper.now.nanoseconds + duration
            watch.advance(.nanoseconds(duration))
            var now = goal - duration
            while !model.isPaused, !isFrozen, !model.isOver, now + model.next <= goal {
                now += model.next
                model.left -= model.next
                note(at: now)
            }
            if !model.isPaused, !isFrozen, !model.isOver { model.left -= goal - now }
        }

        private mutating func note(at now: Int64) {
            if let comes = model.comesNow() { expected.append("\(seconds(Instant(nanoseconds: now))) \(comes)") }
        }

        /// Firings that an extension made due happen at once, even in a paused timer; those due before the pause do not.
        private mutating func settle(evenStanding: Bool) {
            guard evenStanding || !model.isPaused && !isFrozen else { return }
            while let comes = model.comesNow() { expected.append("\(seconds(watch.keeper.now)) \(comes)") }
        }

        private func compare() throws {
            #expect(watch.log == expected)
            #expect(timer.remaining == (model.isOver ? nil : .nanoseconds(model.left)))
            #expect(timer.milestonesToCome.map(\.nanoseconds) == (model.isOver ? [] : model.toCome))
            let stands = model.isPaused || isFrozen || model.isOver
            #expect(timer.deadline == (stands ? nil : watch.keeper.now.advanced(by: .nanoseconds(model.left))))
            #expect(watch.keeper.wheel.ends.count == (stands || model.toCome.isEmpty ? 0 : 1))
            try #require(watch.log == expected)
        }
    }

    @Test func `A countdown fires its milestones as the model does under random operations`() throws {
        var random = SeededGenerator.announced("milestones", seed: 12)
        for _ in 0..<500 {
            var pair = try Pair(&random)
            for _ in 0..<40 { try pair.step(&random) }
        }
    }

    @Test func `A saved and restored countdown fires the same milestones as the model`() throws {
        var random = SeededGenerator.announced("restored milestones", seed: 13)
        for _ in 0..<300 {
            var pair = try Pair(&random)
            for _ in 0..<15 { try pair.step(&random) }
            let other = Stopwatch()
            other.host.name = pair.watch.host.name
            guard let left = pair.timer.remaining else { continue }
            let restored = Countdown(
                pair.timer.plan, on: other.flow, remaining: left, isPaused: false, milestonesDue: pair.timer.milestonesDue)
            let due = pair.model.toCome.filter { $0 >= pair.model.left }.count
            #expect(pair.timer.milestonesDue == due && restored.milestonesToCome.map(\.nanoseconds) == pair.model.toCome)
            other.advance(.seconds(1))
            #expect(
                other.log.map { $0.split(separator: " ")[1] }
                    == (pair.model.toCome.map { "\($0)" } + ["end"]).map { Substring($0) })
        }
    }
}
