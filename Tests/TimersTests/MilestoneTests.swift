// Milestones of a countdown: firings at given remaining times.

import Testing

@testable import Timers

@Suite struct `Milestones` {
    /// A minute, with milestones at 30, 10 and 5 seconds before its end.
    private static let plan = TimerPlan.countdown(
        "round", .seconds(60), milestones: [Milestone(.seconds(10)), Milestone(.seconds(30)), Milestone(.seconds(5))])

    private let watch = Stopwatch()

    private func begin() throws -> Countdown {
        watch.host.name = { firing in
            "\(firing.timer.plan.name) \(firing.milestone.map { "\($0.remaining.components.seconds)s" } ?? "end")"
        }
        return try Countdown(Self.plan, on: watch.flow)
    }

    @Test func `Milestones fire in order, each exactly at its remaining time, before the end`() throws {
        let round = try begin()
        watch.advance(.seconds(30) - .nanoseconds(1))
        #expect(watch.log.isEmpty && round.remaining == .seconds(30) + .nanoseconds(1))
        watch.advance(.nanoseconds(1))
        #expect(watch.log == ["30s round 30s"] && round.remaining == .seconds(30))
        watch.advance(.seconds(100))
        #expect(watch.log == ["30s round 30s", "50s round 10s", "55s round 5s", "60s round end"])
        #expect(round.remaining == nil && watch.keeper.armedCount == 0)
    }

    @Test func `Remaining time and deadline are those of the end, and a milestone changes no generation`() throws {
        let round = try begin()
        let before = round.generation
        #expect(round.deadline == .zero.advanced(by: .seconds(60)))
        watch.advance(.seconds(52))
        #expect(round.remaining == .seconds(8) && round.deadline == .zero.advanced(by: .seconds(60)))
        #expect(round.generation == before)
        #expect(watch.keeper.nextWake.map { $0 <= .zero.advanced(by: .seconds(55)) } == true)
    }

    @Test func `The next timers are listed by their ends, not by their milestones`() throws {
        let round = try begin()
        let other = try watch.countdown("other", .seconds(40))
        #expect(watch.keeper.nextTimers(9).map(\.plan.name) == ["other", "round"])
        try round.extend(by: .seconds(-25))
        #expect(watch.keeper.nextTimers(9).map(\.plan.name) == ["round", "other"])
        withExtendedLifetime(other) {}
    }

    @Test func `Milestones do not change the order of timers with equal deadlines`() throws {
        let round = try begin()
        let other = try watch.countdown("other", .seconds(60))
        watch.advance(.seconds(60))
        #expect(watch.log.suffix(2) == ["60s round end", "60s other end"])
        withExtendedLifetime((round, other)) {}
    }

    @Test func `A paused or frozen countdown fires no milestones until it is resumed`() throws {
        let round = try begin()
        watch.advance(.seconds(29))
        round.pause()
        #expect(round.deadline == nil && round.remaining == .seconds(31))
        watch.advance(.seconds(1_000))
        watch.flow.freeze()
        round.resume()
        watch.advance(.seconds(1_000))
        #expect(watch.log.isEmpty && round.remaining == .seconds(31))
        watch.flow.resume()
        watch.advance(.seconds(25))
        #expect(watch.log == ["2030s round 30s", "2050s round 10s"])
        withExtendedLifetime(round) {}
    }

    /// The firings after the round was extended by `by` seconds at second `at`.
    @Test(arguments: [
        (at: 35, by: 10, comes: ["30s", "30s", "10s", "5s", "end"]),
        (at: 35, by: 5, comes: ["30s", "10s", "5s", "end"]),
        (at: 35, by: 4, comes: ["30s", "10s", "5s", "end"]),
        (at: 58, by: 30, comes: ["30s", "10s", "5s", "30s", "10s", "5s", "end"]),
        (at: 58, by: 6, comes: ["30s", "10s", "5s", "5s", "end"]),
        (at: 0, by: -30, comes: ["30s", "10s", "5s", "end"]),
        (at: 0, by: -52, comes: ["30s", "10s", "5s", "end"]),
        (at: 0, by: -60, comes: ["30s", "10s", "5s", "end"]),
        (at: 40, by: -100, comes: ["30s", "10s", "5s", "end"]),
    ])
    func `A milestone fires again if extended above, and at once if shortened below`(
        at: Int, by: Int, comes: [String]
    ) throws {
        let round = try begin()
        watch.advance(.seconds(at))
        try round.extend(by: .seconds(by))
        watch.advance(.zero)
        let left = max(0, 60 - at + by)
        #expect(round.remaining == (left > 0 ? .seconds(left) : nil))
        watch.advance(.seconds(1_000))
        #expect(watch.log.map { $0.split(separator: " ")[2] } == comes.map { Substring($0) })
    }

    @Test func `Milestones passed by shortening fire at that instant, the longest first, before the end`() throws {
        let round = try begin()
        try round.extend(by: .seconds(-55))
        watch.advance(.zero)
        #expect(watch.log == ["0s round 30s", "0s round 10s", "0s round 5s"] && round.remaining == .seconds(5))
        try round.extend(by: .seconds(-5))
        watch.advance(.zero)
        #expect(watch.log.last == "0s round end" && round.remaining == nil)
    }

    @Test(arguments: [false, true])
    func `Milestones passed by shortening fire even in a paused or frozen countdown, which stays so`(isFrozen: Bool) throws {
        let round = try begin()
        if isFrozen { watch.flow.freeze() } else { round.pause() }
        try round.extend(by: .seconds(-52))
        #expect(round.remaining == .seconds(8) && round.deadline == nil && watch.keeper.nextTimers(9).isEmpty)
        watch.advance(.zero)
        #expect(watch.log == ["0s round 30s", "0s round 10s"] && round.remaining == .seconds(8))
        watch.advance(.seconds(100))
        #expect(watch.log.count == 2 && round.remaining == .seconds(8))
        if isFrozen { watch.flow.resume() } else { round.resume() }
        watch.advance(.seconds(100))
        #expect(watch.log.suffix(2) == ["103s round 5s", "108s round end"])
    }

    @Test func `A milestone that was due when the timer was paused fires on resume`() throws {
        let round = try begin()
        try round.extend(by: .seconds(-40))
        round.pause()
        watch.advance(.seconds(1))
        #expect(watch.log.isEmpty && round.remaining == .seconds(20) && round.milestonesDue == 1)
        round.resume()
        watch.advance(.zero)
        #expect(watch.log == ["1s round 30s"])
        withExtendedLifetime(round) {}
    }

    @Test func `After a stall each milestone fires separately, in the order of deadlines`() throws {
        let round = try begin()
        let other = try watch.countdown("other", .seconds(52))
        watch.stall(.seconds(70))
        let places = watch.log.map { $0.split(separator: " ").dropFirst().joined(separator: " ") }
        #expect(places == ["round 30s", "round 10s", "other end", "round 5s", "round end"])
        #expect(watch.keeper.lateness.maximum == .seconds(40))
        withExtendedLifetime((round, other)) {}
    }

    /// The firings at once after a downtime, and the remaining time then.
    @Test(
        arguments: [
            (left: 40, away: 0, at: [], rest: 40), (left: 40, away: 10, at: ["30s"], rest: 30),
            (left: 40, away: 31, at: ["30s", "10s"], rest: 9),
            (left: 40, away: 50, at: ["30s", "10s", "5s", "end"], rest: nil),
            (left: 30, away: 1, at: [], rest: 29), (left: 5, away: 1, at: [], rest: 4),
            (left: 3, away: 3, at: ["end"], rest: nil),
        ] as [(Int, Int, [String], Int?)])
    func `Milestones that were due during a downtime fire at once after it`(left: Int, away: Int, at: [String], rest: Int?)
        throws
    {
        _ = try begin()
        let round = Countdown(
            Self.plan, on: watch.flow, remaining: .seconds(left - away), isPaused: false, remainingWhenSaved: .seconds(left))
        watch.advance(.zero)
        #expect(watch.log == at.map { "0s round \($0)" })
        #expect(round.remaining == rest.map { .seconds($0) })
    }

    @Test func `A milestone that was due when its timer was saved fires once after the restart`() throws {
        _ = try begin()
        let round = Countdown(Self.plan, on: watch.flow, remaining: .seconds(30), isPaused: true, milestonesDue: 1)
        watch.advance(.seconds(1))
        #expect(watch.log.isEmpty)
        round.resume()
        watch.advance(.seconds(21))
        #expect(watch.log == ["1s round 30s", "21s round 10s"])
    }

    @Test func `A restarted countdown has all its milestones ahead`() throws {
        let round = try begin()
        watch.advance(.seconds(57))
        let again = round.again()
        #expect(again.milestonesToCome.count == 3 && again.remaining == .seconds(60))
        watch.advance(.seconds(30))
        #expect(watch.log.last == "87s round 30s")
    }

    @Test func `A milestone not below the length fires only if the timer is extended above it`() throws {
        _ = try begin()
        let short = TimerPlan.countdown("short", .seconds(10), milestones: [Milestone(.seconds(10)), Milestone(.seconds(20))])
        let timer = try Countdown(short, on: watch.flow)
        watch.advance(.seconds(1))
        #expect(watch.log.isEmpty)
        try timer.extend(by: .seconds(2))
        watch.advance(.seconds(100))
        #expect(watch.log == ["2s short 10s", "12s short end"])
    }

    @Test func `A countdown with milestones that is dropped or loses its host leaves nothing armed`() throws {
        var round: Countdown? = try begin()
        #expect(round != nil && watch.keeper.wheel.ends.count == 1)
        round = nil
        #expect(watch.keeper.wheel.ends.count == 0 && watch.keeper.armedCount == 0)
        var host: TimerHost? = TimerHost(on: watch.keeper)
        let orphan = try host.map { try Countdown(Self.plan, on: $0.clock) }
        host = nil
        #expect(orphan?.remaining == nil && orphan?.deadline == nil && watch.keeper.wheel.ends.count == 0)
    }

    @Test func `A timer without milestones takes 40 bytes`() throws {
        // The offset of the instance size in a class's metadata. With malloc's own 8 bytes, the size is 48.
        let metadata = unsafeBitCast(Countdown.self as AnyClass, to: UnsafeRawPointer.self)
        #expect(metadata.load(fromByteOffset: 24, as: UInt32.self) == 40)
    }
}
