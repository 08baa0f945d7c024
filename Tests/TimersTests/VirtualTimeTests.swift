// In virtual time the same timers fire at the same instants in the same order, regardless of the steps.

import Seeds
import Testing
import Timers

/// A clock that the test moves, as the world moves the machine's clock.
private final class WorldClock: TimeSource {
    var now = Instant.zero
}

/// Timers that start, drop, extend and stop other timers at random, determined by the seed and by earlier firings.
private final class RestlessHost: TimerHost {
    private(set) var log: [String] = []
    private var random = SeededGenerator(seed: 0)
    private var held: [StateTimer] = []

    func start(seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        for _ in 0..<20 { try startOne() }
    }

    override func timerFired(_ firing: Firing) {
        log.append("\(timekeeper.now.nanoseconds) \(firing.timer.plan.name) \(firing.missed)")
        held.removeAll { $0.remaining == nil }
        try? act()
    }

    private func startOne() throws {
        let length = Duration.nanoseconds(Int64(random.next() >> 1) >> (63 - Int.random(in: 4...36, using: &random)))
        let name = "\(log.count).\(held.count)"
        if Bool.random(using: &random) {
            held.append(try Countdown(.countdown(name, length), on: clock))
        } else {
            held.append(try Pendulum(.pendulum(name, every: length + .milliseconds(100)), on: clock))
        }
    }

    private func act() throws {
        let choice = Int.random(in: 0..<8, using: &random)
        let other = held.randomElement(using: &random)
        if held.count < 40 { try startOne() }
        switch choice {
        case 0, 1: held.removeAll { $0 === other }
        case 2: other?.pause()
        case 3: other?.resume()
        case 4: try other?.extend(by: .milliseconds(Int.random(in: -900...900, using: &random)))
        default: break
        }
    }
}

@Suite struct `Virtual time` {
    private func runVirtually(seed: UInt64, steps: [Duration]) throws -> [String] {
        let clock = VirtualClock()
        let keeper = Timekeeper(clock)
        let host = RestlessHost(on: keeper)
        try host.start(seed: seed)
        for step in steps { keeper.advance(clock, by: step) }
        return host.log
    }

    /// A live loop that is never late: it sleeps until the next wake time, reads the clock and fires.
    private func runLive(seed: UInt64, for length: Duration) throws -> [String] {
        let world = WorldClock()
        let keeper = Timekeeper(world)
        let host = RestlessHost(on: keeper)
        try host.start(seed: seed)
        let end = Instant.zero.advanced(by: length)
        while let wake = keeper.nextWake, wake <= end {
            world.now = wake
            keeper.beginTurn()
            keeper.fireDue()
        }
        return host.log
    }

    @Test(arguments: 1...8)
    func `One long advance, many short ones and a live clock fire the same timers`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let long = Duration.seconds(60)
        var cuts = (0..<200).map { _ in Duration.nanoseconds(Int64.random(in: 0...60_000_000_000, using: &random)) }.sorted()
        cuts.append(long)
        let steps = zip([.zero] + cuts, cuts).map { $1 - $0 }

        let live = try runLive(seed: seed, for: long)
        #expect(live.count > 100)
        #expect(try runVirtually(seed: seed, steps: [long]) == live)
        #expect(try runVirtually(seed: seed, steps: steps) == live)
    }

    @Test func `A negative advance does nothing`() {
        let watch = Stopwatch()
        watch.advance(.seconds(-1))
        #expect(watch.keeper.now == .zero)
    }

    @Test func `The machine's clock never goes back`() {
        let clock = SystemClock()
        var last = clock.now
        for _ in 0..<1_000 {
            let now = clock.now
            #expect(now >= last)
            last = now
        }
        #expect(last > .zero)
    }

    @Test func `Time does not change within a turn and never goes back`() throws {
        let world = WorldClock()
        let keeper = Timekeeper(world)
        world.now = .init(nanoseconds: 5)
        #expect(keeper.now == .zero)
        keeper.beginTurn()
        #expect(keeper.now.nanoseconds == 5)
        world.now = .init(nanoseconds: 3)
        keeper.beginTurn()
        #expect(keeper.now.nanoseconds == 5)
    }
}

@Suite struct `The next timers` {
    @Test func `The next timers are listed in firing order, over all hosts, up to the requested number`() throws {
        var random = SeededGenerator.announced("what fires next", seed: 4)
        let clock = VirtualClock()
        let keeper = Timekeeper(clock)
        let hosts = (0..<50).map { _ in TimerHost(on: keeper) }
        var timers: [StateTimer] = []
        for number in 0..<3_000 {
            let length = Duration.milliseconds(Int.random(in: 0..<500, using: &random))
            let timer = try Countdown(.countdown("\(number)", length), on: hosts[number % 50].clock)
            if number % 7 == 0 { timer.pause() }
            if number % 11 != 0 { timers.append(timer) }
        }
        let expected = timers.filter { $0.deadline != nil }.enumerated()
            .sorted { ($0.element.deadline ?? .zero, $0.offset) < ($1.element.deadline ?? .zero, $1.offset) }
            .map(\.element.plan.name)
        for count in [-1, 0, 1, 10, 500, 5_000, .max] {
            #expect(keeper.nextTimers(count).map(\.plan.name) == Array(expected.prefix(max(0, count))))
        }
    }
}
