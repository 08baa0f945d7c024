// Persistence over a restart, by the operator's options; and virtual time.

import Foundation
import TestSupport
import Testing

@Suite struct `Persistence and virtual time` {
    @Test func `A daemon with --data none or --durability none keeps nothing, and says so`() throws {
        for words in [["--durability", "none"], ["--data", "none"]] {
            let folder = try Folder()
            let daemon = try RunningDaemon(keepingIn: folder, words)
            try #require(daemon.waitUntilUp())
            #expect(eventually { daemon.said.contains("kept: nothing; sessions end with gamed\n") }, "\(daemon.said)")
            #expect(try daemon.ask("NEW room turns").text == "first")
            #expect(try daemon.ask("INFO persistence").text?.contains("durability:none\r\n") == true)
            #expect(daemon.stop() == 0)
            #expect(!FileManager.default.fileExists(atPath: folder.data))
        }
    }

    @Test(arguments: ["always", "everysec"])
    func `Virtual time does not pass while the daemon is down`(durability: String) throws {
        let machine = try FaultyMachine(Folder())
        let words = ["--time", "virtual", "--durability", durability]
        let daemon = try machine.start(words)
        let client = try daemon.client()
        #expect(try client.ask("NEW room turns").text == "first")
        #expect(try client.ask("ADVANCE 40s").integer == 1)
        #expect(try client.ask("PAUSE room").text == "OK")
        #expect(daemon.stop() == 0)
        machine.faults.shift(wall: .seconds(3_600), boot: .seconds(3_600))
        let next = try machine.start(words)
        let there = try next.client()
        let state = try there.ask("STATE room")
        #expect(
            state["state"]?.text == "second" && state["version"]?.integer == 1 && state["since_ms"]?.integer == 10_000,
            "\(state)")
        #expect(try there.ask("TIMERS room").list.first?["remaining_ms"]?.integer == 20_000)
        #expect(try there.ask("ADVANCE 1h").integer == 0)
        #expect(try there.ask("RESUME room").text == "OK")
        #expect(try there.ask("ADVANCE 19999ms").integer == 0)
        #expect(try there.ask("ADVANCE 1ms").integer == 1)
        #expect(try SessionSnapshot("room", there).lines.map(\.to) == ["second", "first"])
    }

    /// No event has changed the sessions, but their times have changed.
    @Test(arguments: [true, false])
    func `Remaining times and times in a state are kept after an ADVANCE that fires no timer`(isStoppedCleanly: Bool) throws {
        let folder = try Folder()
        let words = ["--time", "virtual", "--durability", "always"]
        let daemon = try RunningDaemon(keepingIn: folder, words)
        try #require(daemon.waitUntilUp())
        let client = try daemon.client()
        #expect(try client.ask("NEW room turns").text == "first")
        #expect(try client.ask("NEW paused turns").text == "first")
        #expect(try client.ask("PAUSE paused").text == "OK")
        #expect(try client.ask("ADVANCE 10s").integer == 0)
        if isStoppedCleanly { #expect(daemon.stop() == 0) } else { daemon.killIt() }
        let next = try RunningDaemon(keepingIn: folder, words)
        try #require(next.waitUntilUp())
        #expect(try next.ask("TIMERS room").list.first?["remaining_ms"]?.integer == 20_000)
        #expect(try next.ask("TIMERS paused").list.first?["remaining_ms"]?.integer == 30_000)
        for name in ["room", "paused"] { #expect(try next.ask("STATE \(name)")["since_ms"]?.integer == 10_000, "\(name)") }
    }

    private static let commands = [
        "EXTEND room turn 10s": (40_000, 0), "EXTEND room turn -10s": (20_000, 0), "PAUSE room turn": (30_000, 1),
        "PAUSE room": (30_000, 1),
    ]

    @Test(arguments: StoreKind.each(commands.keys.sorted(), ofDatabase: { _ in StoreKind.isThorough }))
    func `A timer changed by EXTEND or PAUSE keeps its time over a restart`(storeKind: StoreKind, command: String) throws {
        let (left, paused) = try #require(Self.commands[command])
        let store = try DaemonStore(storeKind)
        let daemon = try store.start()
        let client = try daemon.client()
        #expect(try client.ask("NEW room turns").text == "first")
        #expect(try !client.ask(command).isError)
        let before = try #require(try client.ask("TIMERS room").list.first?["remaining_ms"]?.integer)
        let timer = try #require(try store.restart(daemon).ask("TIMERS room").list.first)
        let remaining = try #require(timer["remaining_ms"]?.integer)
        #expect(store.remaining(of: left).contains(remaining) && timer["paused"]?.integer == paused, "\(timer)")
        #expect(paused == 0 || remaining == before, "its time goes on")
    }

    @Test(arguments: StoreKind.thorough) func `Other programs can read the tables under load`(storeKind: StoreKind) throws {
        let store = try DaemonStore(storeKind)
        let daemon = try store.start(isVirtual: false)
        let observer = ObservingClient()
        try observer.prepare(daemon.client())
        let all = DispatchGroup()
        try daemon.play(observer.play, in: all)
        var versions = [0]
        let follows = try eventually {
            let said = try store.query("SELECT coalesce(max(version), 0) FROM sessions")
            versions.append(try #require(Int(said), "\(said)"))
            return versions[versions.count - 1] > 0
        }
        #expect(follows && versions == versions.sorted(), "the tables follow under load: \(versions)")
        daemon.killIt()
        all.wait()
        try store.endLease()
        let next = try store.start(isVirtual: false)
        try observer.check(next.client(), "read meanwhile")
    }
}
