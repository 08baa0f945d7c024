// The wall clock can be set: that must not move a deadline, as long as there is a better clock.

import Foundation
import TestSupport
import Testing

@Suite struct `A jump of the wall clock` {
    private static let day = Duration.seconds(86_400)

    private func remaining(_ client: TestClient, _ name: String = "room") throws -> Int {
        try #require(try client.ask("TIMERS \(name)").list.first?["remaining_ms"]?.integer)
    }

    /// Creates a session whose timer has almost 30 s left.
    private func begun(_ daemon: RunningDaemon) throws -> TestClient {
        let client = try daemon.client()
        #expect(try client.ask("NEW room turns").text == "first")
        return client
    }

    @Test(arguments: [day, .zero - day])
    func `A wall clock that jumps by a day does not affect the timers of a running daemon`(jump: Duration) throws {
        let machine = try FaultyMachine(Folder())
        let daemon = try machine.start()
        let client = try begun(daemon)
        machine.faults.shift(wall: jump)
        let left = try remaining(client)
        #expect((20_000...30_000).contains(left))
        #expect(try client.ask("EXTEND room turn -\(left - 100)ms").integer != nil)
        #expect(try eventually { try client.ask("STATE room")["version"]?.integer == 1 })
        daemon.killIt()
        let next = try machine.start()
        #expect((15_000...30_000).contains(try remaining(next.client())))
        let state = try next.ask("STATE room")
        #expect((0...10_000).contains(try #require(state["since_ms"]?.integer)), "\(state)")
    }

    @Test(arguments: [day, .zero - day])
    func `A wall clock that jumps by a day during a downtime does not change its measured length`(jump: Duration) throws {
        let machine = try FaultyMachine(Folder())
        let daemon = try machine.start()
        _ = try begun(daemon)
        daemon.killIt()
        machine.faults.shift(wall: jump + .seconds(7), boot: .seconds(7))
        let next = try machine.start()
        #expect((13_000...23_000).contains(try remaining(next.client())), "seven seconds have passed, and a little")
        let state = try next.ask("STATE room")
        #expect((7_000...17_000).contains(try #require(state["since_ms"]?.integer)), "\(state)")
    }

    private static let centuries = Duration.seconds(300 * 365 * 86_400)

    @Test(arguments: [centuries, .zero - centuries - .seconds(60 * 365 * 86_400)])
    func `A daemon does not start if the wall clock is out of range`(jump: Duration) throws {
        let machine = try FaultyMachine(Folder())
        machine.faults.shift(wall: jump)
        for words in [[], ["--check"]] {
            let daemon = try machine.launch(words)
            #expect(daemon.waitForStatus() == 78)
            #expect(daemon.errors.contains("gamed: the machine's clock is at "), "\(daemon.errors)")
            #expect(daemon.errors.contains("; set the clock"), "\(daemon.errors)")
        }
    }

    @Test(arguments: [centuries, .zero - centuries - .seconds(60 * 365 * 86_400)])
    func `A wall clock that leaves its range does not affect the timers of a running daemon`(jump: Duration) throws {
        let machine = try FaultyMachine(Folder())
        let daemon = try machine.start()
        let client = try begun(daemon)
        machine.faults.shift(wall: jump)
        let left = try remaining(client)
        #expect((20_000...30_000).contains(left))
        #expect(try client.ask("EXTEND room turn -\(left - 100)ms").integer != nil)
        #expect(try eventually { try client.ask("STATE room")["version"]?.integer == 1 })
        #expect(daemon.stop() == 0)
        machine.faults.shift()
        let next = try machine.start()
        #expect((15_000...30_000).contains(try remaining(next.client())))
    }

    /// A boot clock's time means nothing after a reboot: only the wall clock is left, set or not.
    @Test(arguments: [true, false])
    func `A downtime that includes a reboot is measured by the wall clock`(isStoppedCleanly: Bool) throws {
        let machine = try FaultyMachine(Folder())
        let daemon = try machine.start()
        _ = try begun(daemon)
        if isStoppedCleanly { #expect(daemon.stop() == 0) } else { daemon.killIt() }
        try machine.reboot()
        // The machine has been up for longer than before the reboot, and was down for 11 s.
        machine.faults.shift(wall: .seconds(11), boot: .seconds(26))
        let next = try machine.start()
        #expect((9_000...19_000).contains(try remaining(next.client())))
        next.killIt()
        // The clock was set back meanwhile: the downtime is unknown, and counts as zero.
        try machine.reboot()
        machine.faults.shift(wall: .zero - Self.day)
        let last = try machine.start()
        #expect((5_000...30_000).contains(try remaining(last.client())))
    }

    @Test func `A downtime that includes a reboot is measured by a wall clock of any year, and the history keeps its dates`()
        throws
    {
        let machine = try FaultyMachine(Folder())
        let later = Duration.seconds(30 * 365 * 86_400)
        machine.faults.shift(wall: later)
        let daemon = try machine.start()
        let client = try begun(daemon)
        let at = try #require(try client.ask("HISTORY room").list.last?["at_ms"]?.integer)
        daemon.killIt()
        try machine.reboot()
        machine.faults.shift(wall: later + .seconds(11))
        let next = try machine.start()
        #expect((9_000...19_000).contains(try remaining(next.client())))
        let first = try #require(try next.ask("HISTORY room").list.last)
        #expect(first["what"]?.text == "begun")
        #expect((at - 1_000...at + 1_000).contains(first["at_ms"]?.integer ?? 0), "\(first)")
    }

    @Test func `Timers overdue after a long time away fire at once, in order of deadline`() throws {
        let machine = try FaultyMachine(Folder())
        let began = ContinuousClock.now
        /// Timers that begin during the test may have lost as much.
        func isNew(_ left: Int) -> Bool {
            let passed = Int((ContinuousClock.now - began) / .milliseconds(1))
            return (25_000 - passed...30_000).contains(left)
        }
        let daemon = try machine.start()
        let client = try daemon.client()
        for (name, left) in [("third", 29), ("first", 9), ("second", 19)] {
            #expect(try client.ask("NEW \(name) turns").text == "first")
            #expect(try client.ask("EXTEND \(name) turn \(left - 30)s").integer != nil)
        }
        #expect(try client.ask("NEW frozen turns").text == "first")
        #expect(try client.ask("PAUSE frozen").text == "OK")
        #expect(try client.ask("NEW stopped turns").text == "first")
        #expect(try client.ask("PAUSE stopped turn").text == "OK")
        daemon.killIt()
        machine.faults.shift(wall: .seconds(3_600), boot: .seconds(3_600))
        let next = try machine.start()
        let there = try next.client()
        for name in ["first", "second", "third"] {
            let state = try there.ask("STATE \(name)")
            #expect(state["version"]?.integer == 1, "a restarted timer is not overdue: \(state)")
            #expect(isNew(try remaining(there, name)))
        }
        for (name, isPaused) in [("frozen", 1), ("stopped", 0)] {
            let state = try there.ask("STATE \(name)")
            #expect(state["version"]?.integer == 0 && state["paused"]?.integer == isPaused, "\(state)")
            #expect(try there.ask("TIMERS \(name)").list.first?["paused"]?.integer == 1)
            #expect(isNew(try remaining(there, name)))
        }
        #expect(next.stop() == 0)
        #expect(
            try machine.folder.sql("SELECT name FROM history WHERE what = 'taken' ORDER BY serial") == "first\nsecond\nthird")
    }

    @Test func `A pendulum keeps its phase over a crash, and fires once for all missed swings`() throws {
        let machine = try FaultyMachine(Folder())
        let daemon = try machine.start()
        let client = try daemon.client()
        for line in ["NEW room game", "SEND room startPlaying", "SEND room chooseEpisode 1", "SEND room chooseLevel 1"] {
            #expect(try !client.ask(line).isError)
        }
        #expect(try eventually { try client.ask("STATE room")["version"]?.integer == 4 })
        let phase = { (client: TestClient) throws -> Int in
            var phase: Int?
            // The remaining time, and the time of day at which it was read: again if the machine was busy meanwhile.
            try #require(
                eventually {
                    let asked = Int(Date().timeIntervalSince1970 * 1_000)
                    let tick = try client.ask("TIMERS room").list.first { $0["name"]?.text == "tick" }
                    let now = Int(Date().timeIntervalSince1970 * 1_000)
                    phase = (now + (try #require(tick?["remaining_ms"]?.integer))) % 1_000
                    return now - asked < 50
                })
            return try #require(phase)
        }
        let before = try phase(client)
        let version = try #require(try client.ask("STATE room")["version"]?.integer)
        daemon.killIt()
        machine.faults.shift(wall: .seconds(60), boot: .seconds(60))
        let next = try machine.start()
        let there = try next.client()
        let after = try phase(there)
        let off = (after - before + 1_500) % 1_000 - 500
        #expect(abs(off) < 150, "its phase was \(before) and is \(after)")
        let found = try SessionSnapshot("room", there)
        // A second is a swing while the daemon runs, which a busy machine may need some of.
        #expect((version + 1...version + 30).contains(found.version), "a minute is one swing: \(version), \(found.version)")
        #expect(found.lines.reduce(0) { $0 + $1.times } == found.version)
    }
}
