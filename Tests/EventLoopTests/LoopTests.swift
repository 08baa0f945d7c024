// The loop on the machine's own clock and descriptors: turns, wake-ups, faults.

import Foundation
import Testing
import Timers
@testable import EventLoop

/// Calls a closure for each timer that fires.
private final class FiringHost: TimerHost {
    var onFired: (Firing) -> Void = { _ in }

    override func timerFired(_ firing: Firing) {
        onFired(firing)
    }
}

@Suite struct `The loop` {
    @Test func `The loop sleeps until the deadline and never fires a timer early`() throws {
        let loop = try Loop()
        let host = FiringHost(on: loop.timekeeper)
        let countdown = try Countdown(.countdown("it", .milliseconds(20)), on: host.clock)
        let due = try #require(countdown.deadline)
        host.onFired = { _ in loop.stop() }
        try loop.run()
        #expect(loop.timekeeper.source.now >= due)
        #expect(countdown.remaining == nil)
    }

    @Test func `An alarm that goes off before an extended deadline ends a few waits, and the timer fires on time`() throws {
        var isFired = false
        var scene: (loop: Loop, host: FiringHost, countdown: Countdown)?
        // On a busy machine, a countdown may fire before it is extended.
        for _ in 1...3 where scene?.countdown.deadline == nil {
            let loop = try Loop()
            let host = FiringHost(on: loop.timekeeper)
            let countdown = try Countdown(.countdown("it", .milliseconds(20)), on: host.clock)
            isFired = false
            host.onFired = { _ in isFired = true }
            loop.schedule { try? countdown.extend(by: .milliseconds(30)) }
            try loop.turn()
            scene = (loop, host, countdown)
        }
        let (loop, host, countdown) = try #require(scene)
        let due = try #require(countdown.deadline)
        var (waits, isLate) = (0, false)
        let timeout = loop.schedule(after: 10_000) { isLate = true }
        while !isFired, !isLate {
            try loop.turn()
            waits += 1
        }
        #expect(isFired && !isLate && loop.timekeeper.source.now >= due)
        #expect(waits <= 5, "a loop that spins has thousands")
        withExtendedLifetime((timeout, host)) {}
    }

    @Test func `A shortened countdown, and one that begins after all others have ended, fire on time`() throws {
        let loop = try Loop()
        let host = FiringHost(on: loop.timekeeper)
        var (fired, isLate) = (0, false)
        // It also gives the loop something to wait for while it has no timer.
        let timeout = loop.schedule(after: 10_000) { isLate = true }
        host.onFired = { _ in fired += 1 }
        for length in [20, 10_000, 30] {
            let countdown = try Countdown(.countdown("it", .milliseconds(length)), on: host.clock)
            // A short one may fire in the first turn.
            var (due, earlier) = (try #require(countdown.deadline), fired)
            loop.schedule {}
            try loop.turn()
            if length > 1_000 {
                try countdown.extend(by: .milliseconds(20 - length))
                (due, earlier) = (try #require(countdown.deadline), fired)
            }
            while fired == earlier, !isLate { try loop.turn() }
            #expect(loop.timekeeper.source.now >= due)
            loop.schedule {}
            try loop.turn()
        }
        #expect(fired == 3 && !isLate)
        withExtendedLifetime(timeout) {}
    }

    @Test func `A timer that was suspended before its deadline fires on time once timers are resumed`() throws {
        let loop = try Loop()
        let host = FiringHost(on: loop.timekeeper)
        let countdown = try Countdown(.countdown("it", .milliseconds(50)), on: host.clock)
        let due = try #require(countdown.deadline)
        var (isFired, isLate) = (false, false)
        host.onFired = { _ in isFired = true }
        let timeout = loop.schedule(after: 10_000) { isLate = true }
        for isSuspended in [false, true, false] {
            loop.areTimersSuspended = isSuspended
            loop.schedule {}
            try loop.turn()
        }
        while !isFired, !isLate { try loop.turn() }
        #expect(isFired && !isLate && loop.timekeeper.source.now >= due)
        withExtendedLifetime(timeout) {}
    }

    @Test func `The loop runs until it is stopped, and completes that turn`() throws {
        let loop = try Loop()
        let host = FiringHost(on: loop.timekeeper)
        let pendulum = try Pendulum(.pendulum("tick", every: .milliseconds(2)), on: host.clock)
        var swings = 0
        let turns = TurnLog(of: loop)
        loop.setDelegate(turns)
        host.onFired = { firing in
            swings += 1 + firing.missed
            if swings >= 5 { loop.stop() }
        }
        try loop.run()
        #expect(swings >= 5)
        #expect(turns.log.count(where: { $0 == "end" }) >= 1)
        withExtendedLifetime(pendulum) {}
    }

    @Test func `Another thread wakes the loop`() throws {
        let loop = try Loop()
        var woken = 0
        let watch = try WakerWatch(Waker(), on: loop) {
            woken += 1
            loop.stop()
        }
        let waker = watch.waker
        Thread.detachNewThread {
            waker.wake()
            waker.wake()
        }
        try loop.run()
        #expect(woken == 1)
    }

    @Test func `The loop throws an error if it has nothing to wait for, and does not spin`() throws {
        let loop = try Loop()
        do {
            try loop.run()
            Issue.record("the loop ran without anything to wait for")
        } catch {
            guard case .nothingToWaitFor = error else { throw error }
        }
    }

    @Test func `The loop does not advance virtual time by waiting`() throws {
        let clock = VirtualClock()
        let loop = try Loop(Timekeeper(clock))
        let host = FiringHost(on: loop.timekeeper)
        let countdown = try Countdown(.countdown("it", .seconds(1)), on: host.clock)
        #expect(throws: LoopFailure.self) { try loop.run() }
        #expect(countdown.remaining == .seconds(1))
    }
}

/// Logs what a loop tells its delegate.
private final class TurnLog: LoopDelegate, DueTimerStepper {
    var log: [String] = []
    private let loop: Loop

    init(of loop: Loop) { self.loop = loop }

    func turnDidBegin() { log.append("beginning") }
    func dueTimersAreLeft(_ areLeft: Bool) {
        log.append(areLeft ? "some left" : "none left")
        loop.stepper = areLeft ? self : nil
    }
    /// No input here is about a host.
    func fireDueTimers() {}
    func inputDidEnd() { log.append("kept input") }
    func turnWillEnd() { log.append("end") }
}

@Suite struct `A turn` {
    /// A pipe that has something to read, and a log of what the turn did.
    private func turn(
        _ prepare: (Loop, FiringHost) throws -> [StateTimer],
        onReadable: @escaping (FiringHost) throws -> StateTimer? = { _ in nil }
    ) throws -> [String] {
        let loop = try Loop()
        let host = FiringHost(on: loop.timekeeper)
        let turn = TurnLog(of: loop)
        loop.setDelegate(turn)
        var held = try prepare(loop, host)
        host.onFired = { turn.log.append($0.timer.plan.name) }
        let pipes = [Pipe(), Pipe()]
        let watches = try pipes.map { pipe in
            try pipe.fileHandleForWriting.write(contentsOf: Data([1]))
            return try DescriptorWatch(pipe.fileHandleForReading.fileDescriptor, .readable, on: loop) {
                turn.log.append("input")
                loop.keepInput()
                if let timer = try? onReadable(host) { held.append(timer) }
            }
        }
        for watch in watches { try watch.start() }
        try loop.turn()
        withExtendedLifetime(held) {}
        return turn.log
    }

    @Test func `A turn fires due timers before input, and ends once kept input is handled`() throws {
        let log = try turn({ _, host in [try Countdown(.countdown("due", .zero), on: host.clock)] })
        #expect(log == ["beginning", "due", "input", "input", "kept input", "end"])
    }

    @Test func `A turn fires a zero timer after the input that armed it and before the next input`() throws {
        let log = try turn({ _, _ in [] }) { try Countdown(.countdown("zero", .zero), on: $0.clock) }
        #expect(log == ["beginning", "input", "zero", "input", "zero", "kept input", "end"])
    }
}

@Suite struct `A turn's length` {
    private final class HandClock: TimeSource {
        var now = Instant.zero
    }

    /// Returns the number of pieces of ten microseconds that one turn handles, with a timer due after `delay`.
    private func piecesOfTurn(timerAfter delay: Duration, holdingTimers: Bool = false) throws -> Int {
        let clock = HandClock()
        let loop = try Loop(Timekeeper(clock))
        loop.watch = clock
        loop.areTimersSuspended = holdingTimers
        let host = FiringHost(on: loop.timekeeper)
        let countdown = try Countdown(.countdown("it", delay), on: host.clock)
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: Data([1]))
        var pieces = 0
        let watch = try DescriptorWatch(pipe.fileHandleForReading.fileDescriptor, .readable, on: loop) {
            while !loop.isBudgetExhausted {
                clock.now = clock.now.advanced(by: .microseconds(10))
                pieces += 1
                loop.charge(pieces: 1)
            }
        }
        try watch.start()
        try loop.turn()
        withExtendedLifetime(countdown) {}
        return pieces
    }

    @Test func `A turn handles input for 4 ms if no timer becomes due`() throws {
        #expect(try piecesOfTurn(timerAfter: .seconds(1)) == 400)
    }

    @Test func `A turn handles input for 200 microseconds if a timer became due before that`() throws {
        #expect(try 20...36 ~= piecesOfTurn(timerAfter: .microseconds(20)))
    }

    @Test func `A turn ends within 16 pieces after a timer becomes due`() throws {
        #expect(try 100...116 ~= piecesOfTurn(timerAfter: .milliseconds(1)))
    }

    /// Returns how many pieces of ten microseconds each of some clients gets in one turn; each has requests without end.
    private func shares(of count: Int) throws -> [Int] {
        let clock = HandClock()
        let loop = try Loop(Timekeeper(clock))
        loop.watch = clock
        var shares: [Int] = []
        let pipes = (0..<count).map { _ in Pipe() }
        let watches = try pipes.map { pipe in
            try pipe.fileHandleForWriting.write(contentsOf: Data([1]))
            return try DescriptorWatch(pipe.fileHandleForReading.fileDescriptor, .readable, on: loop) {
                var pieces = 0
                loop.beginShare()
                while !loop.mustYield {
                    clock.now = clock.now.advanced(by: .microseconds(10))
                    pieces += 1
                    loop.charge(pieces: 1)
                }
                shares.append(pieces)
            }
        }
        for watch in watches { try watch.start() }
        try loop.turn()
        return shares
    }

    @Test func `A client whose requests have no end is served for 100 microseconds while others wait`() throws {
        let shares = try shares(of: 8)
        #expect(shares.count == 8)
        #expect(shares.dropLast().allSatisfy { 10...26 ~= $0 }, "\(shares)")
    }

    @Test func `A client that is alone has the whole turn, and so has the last of several the rest of it`() throws {
        #expect(try shares(of: 1) == [400])
        #expect(try shares(of: 8).reduce(0, +) == 400)
    }

    @Test func `A turn serves some forty clients whose requests have no end`() throws {
        #expect(try 20...40 ~= shares(of: 100).count)
    }

    @Test func `Left-over work that begins with the budget spent is first in the next turn`() throws {
        let loop = try Loop()
        var served: [String] = []
        func work(_ name: String) {
            if !loop.isBudgetExhausted {
                served.append(name)
                loop.charge(pieces: 1_024)
            }
            loop.schedule { work(name) }
        }
        for name in ["advance", "sandboxes", "connections"] { loop.schedule { work(name) } }
        for _ in 1...6 {
            // As input does that wakes the loop.
            loop.schedule {}
            try loop.turn()
        }
        #expect(served == ["advance", "sandboxes", "connections", "advance", "sandboxes", "connections"])
    }

    /// Twenty timers that are due, each of which takes 1 ms to fire.
    private final class DueTimers {
        let (loop, log, names): (Loop, TurnLog, [String])
        private(set) var fired: [String] = []
        private let (host, countdowns): (FiringHost, [Countdown])

        init() throws {
            let clock = HandClock()
            loop = try Loop(Timekeeper(clock))
            loop.watch = clock
            log = TurnLog(of: loop)
            loop.setDelegate(log)
            let host = FiringHost(on: loop.timekeeper)
            self.host = host
            names = (0..<20).map(String.init)
            countdowns = try names.map { try Countdown(.countdown($0, .zero), on: host.clock) }
            host.onFired = { [unowned self] in
                fired.append($0.timer.plan.name)
                clock.now = clock.now.advanced(by: .milliseconds(1))
            }
        }

        func turn() throws {
            loop.schedule {}
            try loop.turn()
        }
    }

    @Test func `Due timers that take long fire in several turns, in order, and each turn handles input`() throws {
        let due = try DueTimers()
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: Data([1]))
        var counts: [Int] = []
        let watch = try DescriptorWatch(pipe.fileHandleForReading.fileDescriptor, .readable, on: due.loop) {
            due.loop.fireDueTimers()
            counts.append(due.fired.count)
        }
        try watch.start()
        for _ in 0..<4 { try due.loop.turn() }
        #expect(4...8 ~= counts[0] && 4...8 ~= counts[1] - counts[0] && counts[3] == 20, "\(counts)")
        #expect(due.fired == due.names)
        #expect(due.log.log.filter { $0.hasSuffix("left") } == ["some left", "some left", "none left"])
    }

    @Test func `No due timer fires once timers are suspended, and those that were left fire in order afterwards`() throws {
        let due = try DueTimers()
        try due.turn()
        let firedFirst = due.fired.count
        #expect(4...8 ~= firedFirst)
        due.loop.areTimersSuspended = true
        for _ in 0..<3 { try due.turn() }
        #expect(due.fired.count == firedFirst && due.log.log.filter { $0.hasSuffix("left") } == ["some left", "none left"])
        due.loop.areTimersSuspended = false
        for _ in 0..<3 { try due.turn() }
        #expect(due.fired == due.names)
    }

    @Test func `A turn handles input for 4 ms while timers are suspended`() throws {
        #expect(try piecesOfTurn(timerAfter: .zero, holdingTimers: true) == 400)
    }
}
