// --expire over restarts: a session's remaining time is in its image.

import Foundation
import TestSupport
import Testing

@Suite struct `A session that expires, over a restart` {
    private static let words = ["--durability", "always", "--expire", "turns=100s:restart"]

    private func left(_ client: TestClient, _ name: String = "room") throws -> Int {
        try client.ask("STATE \(name)")["expires_ms"]?.integer ?? -1
    }

    /// The session's own timer fires every 30 s, which is no activity.
    @Test(arguments: [true, false])
    func `A session's time until expiry passes as if the daemon had not been down`(isStoppedCleanly: Bool) throws {
        let machine = try FaultyMachine(Folder())
        func restart(_ daemon: RunningDaemon, at seconds: Int) throws -> RunningDaemon {
            if isStoppedCleanly { #expect(daemon.stop() == 0) } else { daemon.killIt() }
            machine.faults.shift(wall: .seconds(seconds), boot: .seconds(seconds))
            return try machine.start(Self.words)
        }
        var daemon = try machine.start(Self.words)
        var client = try daemon.client()
        for name in ["room", "paused"] { #expect(try client.ask("NEW \(name) turns").text == "first") }
        #expect(try client.ask("PAUSE paused").text == "OK")

        daemon = try restart(daemon, at: 60)
        client = try daemon.client()
        #expect(try (30_000...40_000).contains(left(client)))
        #expect(try left(client, "paused") == 100_000)
        #expect(try client.ask("SEND room nonsense").isError, "a refused event is activity")

        daemon = try restart(daemon, at: 90)
        client = try daemon.client()
        #expect(try (60_000...70_000).contains(left(client)))

        daemon = try restart(daemon, at: 300)
        client = try daemon.client()
        let newest = try client.ask("HISTORY room COUNT 1").list.first
        let said = [newest?["event"]?.text, newest?["actor"]?.text]
        #expect(said == ["RESTART", "--expire"], "its time was over while the daemon was down")
        #expect(try left(client) > 90_000)
    }

    /// A test cannot set a node's clocks. The remaining time must not grow, and must not change while the session is paused.
    @Test(.enabled(if: StoreKind.thorough.contains(.database), "make soak does it, where PostgreSQL is"))
    func `A session in a database has no more time until expiry after a restart than before`() throws {
        let store = try DaemonStore(.database)
        let words = ["--expire", "turns=100s:restart"]
        var daemon = try store.start(words)
        for line in ["NEW room turns", "NEW paused turns", "PAUSE paused"] { #expect(try !daemon.ask(line).isError) }
        let before = (try left(daemon.client()), try left(daemon.client(), "paused"))
        #expect(store.remaining(of: 100_000).contains(before.0) && store.remaining(of: 100_000).contains(before.1))
        for isKilled in [true, false] {
            daemon = try store.restart(daemon, isKilled: isKilled, words)
            #expect(try store.remaining(of: 100_000).contains(left(daemon.client())))
            #expect(try left(daemon.client()) <= before.0)
            #expect(try left(daemon.client(), "paused") == before.1)
        }
    }

    @Test(arguments: [true, false])
    func `A session has the same virtual time until expiry after a restart`(isStoppedCleanly: Bool) throws {
        let folder = try Folder()
        let words = Self.words + ["--time", "virtual"]
        let daemon = try RunningDaemon(keepingIn: folder, words)
        try #require(daemon.waitUntilUp())
        let client = try daemon.client()
        #expect(try client.ask("NEW room turns").text == "first")
        #expect(try client.ask("ADVANCE 10s").integer == 0)
        if isStoppedCleanly { #expect(daemon.stop() == 0) } else { daemon.killIt() }
        let next = try RunningDaemon(keepingIn: folder, words)
        try #require(next.waitUntilUp())
        let there = try next.client()
        #expect(try left(there) == 90_000)
        #expect(try there.ask("ADVANCE 90s").integer == 4, "three turns, and its end")
        #expect(try there.ask("HISTORY room").list.map { $0["actor"]?.text } == ["--expire"])
    }

    @Test func `A session expires by the rules of the current start, and never without one`() throws {
        let folder = try Folder()
        func daemon(_ rule: [String]) throws -> RunningDaemon {
            let daemon = try RunningDaemon(keepingIn: folder, ["--time", "virtual", "--durability", "always"] + rule)
            try #require(daemon.waitUntilUp(), "\(daemon.errors)")
            return daemon
        }
        let first = try daemon(["--expire", "turns=100s"])
        let client = try first.client()
        #expect(try client.ask("NEW room turns").text == "first")
        #expect(try client.ask("ADVANCE 10s").integer == 0)
        #expect(first.stop() == 0)
        let longer = try daemon(["--expire", "turns=1h"])
        #expect(try left(longer.client()) == 3_590_000)
        #expect(longer.stop() == 0)
        let none = try daemon([])
        let there = try none.client()
        #expect(try left(there) == -1)
        #expect(try there.ask("TIMERS room").list.map { $0["remaining_ms"]?.integer } == [20_000])
    }

    /// Otherwise a daemon that restarts each night would never drop a session that was abandoned before there was a rule.
    @Test(arguments: [true, false])
    func `A session from before there was a rule expires although the daemon restarts meanwhile`(isStoppedCleanly: Bool) throws
    {
        let machine = try FaultyMachine(Folder())
        func restart(_ daemon: RunningDaemon, at seconds: Int) throws -> RunningDaemon {
            if isStoppedCleanly { #expect(daemon.stop() == 0) } else { daemon.killIt() }
            machine.faults.shift(wall: .seconds(seconds), boot: .seconds(seconds))
            return try machine.start(Self.words)
        }
        var daemon = try machine.start()
        var client = try daemon.client()
        for name in ["room", "paused"] {
            #expect(try client.ask("NEW \(name) turns").text == "first")
            #expect(try client.ask("PAUSE \(name) turn").text == "OK", "its own timer saves nothing")
        }
        #expect(try client.ask("PAUSE paused").text == "OK")
        for (seconds, left) in [(40, 50_000...60_000), (80, 10_000...20_000)] {
            daemon = try restart(daemon, at: seconds)
            client = try daemon.client()
            #expect(try left.contains(self.left(client)))
            #expect(try self.left(client, "paused") == 100_000)
        }
        daemon = try restart(daemon, at: 120)
        let newest = try daemon.ask("HISTORY room COUNT 1").list.first
        #expect([newest?["event"]?.text, newest?["actor"]?.text] == ["RESTART", "--expire"])
    }

    /// It could not run, so it was not idle.
    @Test(arguments: [true, false])
    func `A session that a RELOAD set aside has its full time when a restart restores it, and no more at the next restart`(
        isStoppedCleanly: Bool
    ) throws {
        let machine = try FaultyMachine(Folder())
        let flows = machine.folder.path + "/flows"
        try FileManager.default.createDirectory(atPath: flows, withIntermediateDirectories: true)
        func write(states: String) throws {
            try "{ id: 'door', states: { \(states) } }".write(toFile: flows + "/door.json5", atomically: true, encoding: .utf8)
        }
        let words = ["--durability", "always", "--flows", flows, "--expire", "door=100s"]
        func restart(_ daemon: RunningDaemon, at seconds: Int) throws -> RunningDaemon {
            if isStoppedCleanly { #expect(daemon.stop() == 0) } else { daemon.killIt() }
            machine.faults.shift(wall: .seconds(seconds), boot: .seconds(seconds))
            return try machine.start(words)
        }
        try write(states: "open: {}")
        var daemon = try machine.start(words)
        #expect(try daemon.ask("NEW front door").text == "open")
        try write(states: "ajar: {}")
        #expect(try !daemon.ask("RELOAD").isError)
        #expect(try daemon.ask("STATE front").code == .setAside)

        try write(states: "open: {}")
        daemon = try restart(daemon, at: 300)
        #expect(try (90_000...100_000).contains(left(daemon.client(), "front")))
        daemon = try restart(daemon, at: 360)
        #expect(try (30_000...40_000).contains(left(daemon.client(), "front")))
    }

    @Test func `A child does not expire while its parent is set aside, over a restart`() throws {
        let folder = try Folder()
        func write(_ flow: String, to name: String) throws {
            try flow.write(toFile: folder.path + "/flows/" + name, atomically: true, encoding: .utf8)
        }
        try FileManager.default.createDirectory(atPath: folder.path + "/flows", withIntermediateDirectories: true)
        let show = "{ id: 'show', states: { on: { invoke: { flow: 'round', id: 'round' } } } }"
        try write(show, to: "show.json5")
        try write("{ id: 'round', states: { open: {} } }", to: "round.json5")
        let words = ["--time", "virtual", "--durability", "always", "--flows", folder.path + "/flows", "--expire", "round=1m"]
        let first = try RunningDaemon(keepingIn: folder, words)
        try #require(first.waitUntilUp(), "\(first.errors)")
        #expect(try first.ask("NEW tv show").text == "on")
        try FileManager.default.removeItem(atPath: folder.path + "/flows/show.json5")
        #expect(first.stop() == 0)
        let daemon = try RunningDaemon(keepingIn: folder, words)
        try #require(daemon.waitUntilUp(), "\(daemon.errors)")
        let client = try daemon.client()
        #expect(try client.ask("STATE tv").code == .setAside)
        #expect(try left(client, "tv/round") == -1)
        #expect(try !client.ask("ADVANCE 1h").isError)
        #expect(try client.ask("STATE tv/round")["state"]?.text == "open")
        try write(show, to: "show.json5")
        #expect(try !client.ask("RELOAD").isError)
        #expect(try !client.ask("ADVANCE 1h").isError)
        #expect(try client.ask("HISTORY tv").list.map { $0["event"]?.text } == ["NEW"], "its child is not lost")
        #expect(try client.ask("DROP tv").integer == 1)
        #expect(try client.ask("STATE tv/round").code == .noSession)
        #expect(daemon.stop() == 0)
    }
}

@Suite struct `A daemon with --expire` {
    @Test func `A daemon with --expire prints its rules, and restarts a session in real time`() throws {
        let folder = try Folder()
        let daemon = try RunningDaemon(keepingIn: folder, ["--session", "room=turns", "--expire", "turns=1s:restart"])
        try #require(daemon.waitUntilUp(), "\(daemon.errors)")
        #expect(eventually { daemon.said.contains("expire: turns (restarted after 1s)\n") }, "\(daemon.said)")
        let client = try daemon.client()
        #expect(try eventually { try client.ask("HISTORY room").list.map { $0["actor"]?.text } == ["--expire"] })
        #expect(try client.ask("STATE room")["state"]?.text == "first")
    }

    @Test func `A session whose flow traps when --expire restarts it is quarantined`() throws {
        let folder = try Folder()
        let words = Folder.always + ["--expire", "oven=1s:restart"]
        let daemon = try folder.probe(words)
        let client = try daemon.client()
        // This one first: `bread` traps 1 s after its own beginning.
        #expect(try client.ask("NEW cake oven").text == "baking")
        #expect(try client.ask(#"NEW bread oven '{"context":{"minutes":666}}'"#).text == "baking")
        #expect(daemon.waitForStatus() == -trapSignal, "\(daemon.errors.prefix(2_000))")
        let next = try folder.probe(words)
        #expect(try next.setAsideNames() == ["bread"])
        #expect(try next.ask("STATE cake")["state"]?.text == "baking")
    }

    @Test(arguments: [[], ["--check"]])
    func `A daemon does not start if --expire names a flow that it does not have`(more: [String]) throws {
        let daemon = try RunningDaemon(keepingIn: Folder(), ["--expire", "turn=10m"] + more)
        #expect(daemon.waitForStatus() == 64)
        #expect(daemon.errors.contains("--expire: there is no flow 'turn'; did you mean 'turns'?"), "\(daemon.errors)")
    }
}
