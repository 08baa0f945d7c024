// A disk that is full or broken, once or for long, under a daemon that runs.

import Foundation
import TestSupport
import Testing

@Suite struct `A disk that fails` {
    private func persistence(_ client: TestClient) throws -> [String: String] {
        let text = try #require(try client.ask("INFO persistence").text)
        let fields = text.split(separator: "\r\n").map { $0.split(separator: ":", maxSplits: 1).map(String.init) }
        return Dictionary(
            uniqueKeysWithValues: fields.filter { $0.count > 1 || $0[0] != "# Persistence" }.map {
                ($0[0], $0.count > 1 ? $0[1] : "")
            })
    }

    @Test(arguments: [Faults.Failure.full, .broken], ["always", "everysec"])
    func `A daemon on a failing disk refuses changes, serves reads, and resumes after the repair`(
        failure: Faults.Failure, durability: String
    ) throws {
        let machine = try FaultyMachine(Folder())
        let daemon = try machine.start(["--durability", durability])
        let client = try daemon.client()
        #expect(try client.ask("NEW room turns").text == "first")
        #expect(try persistence(client)["journal_status"] == "ok")
        machine.faults.fail(writing: failure)
        let failed = try client.ask("SEND room pass")
        if durability == "always" { #expect(failed.code == .journal) }
        #expect(try eventually { try persistence(client)["journal_status"] == "failing" })
        for line in ["SEND room pass", "NEW other turns", "PAUSE room", "EXTEND room turn 1s", "DROP room", "FORCE room first"]
        {
            let refusal = try client.ask(line)
            #expect(refusal.code == .journal, "\(line): \(refusal)")
            let reason = failure == .full ? "the disk is full: \(machine.folder.database)" : "Input/output error"
            #expect(refusal.sentence?.contains(reason) == true, "\(refusal)")
        }
        for line in ["STATE room", "TIMERS room", "HISTORY room", "SESSIONS", "PING", "EVENTS room", "NEXT"] {
            #expect(try !client.ask(line).isError, "\(line)")
        }
        let health = try persistence(client)
        #expect(health["durability"] == durability)
        #expect(health["directory"] == machine.folder.data)
        #expect(health["journal_failure"]?.contains(failure == .full ? "the disk is full" : "Input/output error") == true)
        #expect(try #require(Int(health["journal_failures"] ?? "")) > 0)
        machine.faults.repair()
        #expect(try eventually { try client.ask("SEND room pass").text == "first" })
        #expect(try persistence(client)["journal_status"] == "ok")
        #expect(daemon.complains("can be written again"))
        daemon.killIt()
        let next = try machine.start()
        let found = try SessionSnapshot("room", next.client())
        // With everysec the last moment may be lost.
        if durability == "always" { #expect(found.version == 2) }
        #expect(found.lines.count == found.version)
    }

    /// With the failure at each of the disk's calls in turn.
    @Test func `A single failure of any disk call is reported to the client, and loses nothing acknowledged`() throws {
        let machine = try FaultyMachine(Folder())
        let daemon = try machine.start()
        let client = try daemon.client()
        #expect(try client.ask("NEW room turns").text == "first")
        var acknowledged = 0
        var refused = 0
        for round in 0..<40 {
            machine.faults.fail(
                writing: round % 2 == 0 ? .full : nil, syncing: round % 2 == 1 ? .broken : nil, times: Int32(round % 5 + 1))
            client.send(Array(repeating: "SEND room pass", count: 5))
            for _ in 0..<5 {
                let answer = try client.next()
                if answer.isError { refused += 1 } else { acknowledged += 1 }
                #expect(answer.code == nil || answer.code == .journal, "\(answer)")
            }
            machine.faults.repair()
            #expect(try eventually { try persistence(client)["journal_status"] == "ok" })
        }
        #expect(refused > 0)
        let version = try #require(try client.ask("STATE room")["version"]?.integer)
        #expect((acknowledged...acknowledged + refused).contains(version))
        daemon.killIt()
        let next = try machine.start()
        let found = try SessionSnapshot("room", next.client())
        #expect(found.version == version, "what was read after the repair is on disk")
        #expect(found.lines.count == 50)
    }

    /// A reply sent at the moment of the failure is true.
    @Test func `A kill while the disk fails loses no acknowledged change`() throws {
        for round in 0..<8 {
            let machine = try FaultyMachine(Folder())
            let daemon = try machine.start()
            let observer = ObservingClient()
            try observer.prepare(daemon.client())
            let all = DispatchGroup()
            try daemon.play(observer.play, in: all)
            usleep(20_000 + UInt32(round) * 3_000)
            machine.faults.fail(writing: round % 2 == 0 ? .full : nil, syncing: round % 2 == 1 ? .broken : nil)
            all.wait()
            daemon.killIt()
            machine.faults.repair()
            let next = try machine.start()
            try observer.check(next.client(), "round \(round)")
        }
    }

    @Test func `A disk on which only syncing fails is noticed with everysec`() throws {
        let machine = try FaultyMachine(Folder())
        let daemon = try machine.start(["--durability", "everysec"])
        let client = try daemon.client()
        #expect(try client.ask("NEW room turns").text == "first")
        machine.faults.fail(syncing: .broken)
        #expect(try eventually(within: 5) { try client.ask("SEND room pass").code == .journal })
        // The failure stays reported while only appending succeeds.
        for _ in 0..<200 {
            #expect(try persistence(client)["journal_failure"]?.contains("Input/output error") == true)
        }
        machine.faults.repair()
        #expect(try eventually { try !client.ask("SEND room pass").isError })
        #expect(try eventually { try persistence(client)["last_sync_ms_ago"] != "" })
    }

    @Test func `Timers due while the disk fails fire once after the repair, in order of deadline`() throws {
        // On a busy machine the first timer may fire before the disk fails.
        let scene = try again(while: { (try? $0.client.ask("STATE early"))?["version"]?.integer != 0 }) {
            let machine = try FaultyMachine(Folder())
            let daemon = try machine.start()
            let client = try daemon.client()
            let timers = [("late", 9), ("early", 5), ("between", 7)]
            // Sent together, so that the timers begin together.
            client.send(timers.map { "NEW \($0.0) turns" } + timers.map { "EXTEND \($0.0) turn \($0.1 - 30)s" })
            for _ in 1...6 { #expect(try !client.next().isError) }
            machine.faults.fail(writing: .full)
            #expect(try client.ask("NEW other turns").code == .journal)
            return (machine: machine, daemon: daemon, client: client)
        }
        let (machine, daemon, client) = scene
        for name in ["early", "between", "late"] {
            #expect(try eventually { try client.ask("TIMERS \(name)").list.first?["remaining_ms"]?.integer == 0 })
            #expect(try client.ask("STATE \(name)")["version"]?.integer == 0, "nothing fires that cannot be kept")
        }
        machine.faults.repair()
        for name in ["early", "between", "late"] {
            #expect(try eventually { try client.ask("STATE \(name)")["version"]?.integer == 1 })
        }
        #expect(daemon.stop() == 0)
        // On a slow machine the next turn may be over by now, too.
        #expect(try machine.folder.sql("SELECT name FROM history WHERE version = 1 ORDER BY serial") == "early\nbetween\nlate")
    }

    @Test(arguments: ["always", "everysec"])
    func `A stop on a full disk takes less than 5 s, exits with 74, and loses no durable change`(durability: String) throws {
        let machine = try FaultyMachine(Folder())
        let daemon = try machine.start(["--durability", durability])
        let client = try daemon.client()
        #expect(try client.ask("NEW room turns").text == "first")
        #expect(try eventually { try machine.folder.sql("SELECT count(*) FROM sessions", isReadOnly: true) == "1" })
        machine.faults.fail(writing: .full)
        _ = try client.ask("SEND room pass")
        let began = Date()
        #expect(daemon.stop() == 74)
        #expect(Date().timeIntervalSince(began) < 5)
        #expect(daemon.errors.contains("the disk is full: \(machine.folder.database)"), "\(daemon.errors)")
        let isLossy = daemon.errors.contains("changes that were acknowledged and not written are lost")
        #expect(isLossy == (durability == "everysec"), "\(daemon.errors)")
        machine.faults.repair()
        #expect(try machine.start().ask("STATE room")["version"]?.integer == 0)
    }

    @Test func `A stop that cannot store the remaining times of freeze timers reports no lost changes`() throws {
        let machine = try FaultyMachine(Folder())
        let flow = machine.folder.path + "/room.json5"
        let file = "{ id: 'room', states: { on: { after: { '1h': { name: 'end', target: 'on', restart: 'freeze' } } } } }"
        try file.write(toFile: flow, atomically: true, encoding: .utf8)
        let daemon = try machine.start(["--durability", "everysec", "--flows", flow])
        let syncs = machine.faults.syncs
        #expect(try daemon.ask("NEW room room").text == "on")
        #expect(try eventually { try machine.folder.sql("SELECT count(*) FROM sessions", isReadOnly: true) == "1" })
        #expect(eventually { machine.faults.syncs > syncs })
        machine.faults.fail(writing: .full)
        #expect(daemon.stop() == 74, "the log cannot be moved into the database")
        #expect(daemon.errors.contains("the remaining times of 'freeze' timers at the stop are not stored"), "\(daemon.errors)")
        #expect(!daemon.errors.contains("lost"), "\(daemon.errors)")
        machine.faults.repair()
        #expect(try machine.start(["--flows", flow]).ask("STATE room")["state"]?.text == "on")
    }

    @Test func `A daemon does not start on a full disk, and leaves the database unchanged`() throws {
        let machine = try FaultyMachine(Folder())
        #expect(try machine.start(["--durability", "always", "--session", "room=turns"]).stop() == 0)
        let before = machine.folder.contents["gamed.db"]
        machine.faults.fail(writing: .full)
        let daemon = try machine.launch()
        #expect(daemon.waitForStatus() == 74)
        #expect(daemon.errors.hasPrefix("gamed: the disk is full: \(machine.folder.database)"), "\(daemon.errors)")
        #expect(machine.folder.contents["gamed.db"] == before)
        machine.faults.repair()
        #expect(try machine.start().ask("STATE room")["state"]?.text == "first")
    }

    /// Formerly it was refused, although the log's changes can be moved into the database, and then the log need not grow.
    @Test func `A start after a crash tries again if the tables' first write finds the disk full`() throws {
        let machine = try FaultyMachine(Folder())
        let daemon = try machine.start()
        #expect(try daemon.client().ask("NEW room turns").text == "first")
        daemon.killIt()
        machine.faults.fail(writing: .full, times: 1, onlyLog: true)
        let next = try machine.start()
        #expect(try next.ask("STATE room")["state"]?.text == "first")
        #expect(next.stop() == 0)
    }

    @Test func `A client that disconnects while its reply is held back does no harm`() throws {
        let machine = try FaultyMachine(Folder())
        let daemon = try machine.start(unprobed: "it counts clients")
        let client = try daemon.client()
        #expect(try client.ask("NEW room turns").text == "first")
        machine.faults.isBlocked = true
        for _ in 0..<20 {
            let other = try daemon.client()
            other.send(["SEND room pass", "STATE room"])
            #expect(!other.hasInput(within: 5), "a reply was sent before its change was on disk")
            other.disconnect()
        }
        let rest = try daemon.client()
        rest.send(["QUIT"])
        machine.faults.isBlocked = false
        #expect(try rest.next().text == "OK")
        #expect(try client.ask("STATE room")["version"]?.integer == 20)
        #expect(try eventually { try client.ask("INFO clients").text?.contains("connected_clients:1\r\n") == true })
    }

    @Test(arguments: 1...7) func `A start on a file system with too few inodes reports that the disk is full`(count: Int) throws
    {
        let folder = try Folder()
        try FileManager.default.createDirectory(atPath: folder.data, withIntermediateDirectories: true)
        let mount = ["-t", "tmpfs", "-o", "nr_inodes=\(count),mode=700", "tmpfs", folder.data]
        guard try run("mount", mount).output == "" else { return print("no file system can be mounted here") }
        defer { _ = try? run("umount", ["-l", folder.data]) }
        let daemon = try RunningDaemon(keepingIn: folder, unprobed: "it may not start")
        guard !daemon.waitUntilUp() else { return #expect(count > 4, "\(count)") }
        #expect(daemon.waitForStatus() == 74)
        #expect(daemon.errors.contains("the disk is full: ") && daemon.errors.contains(folder.data), "\(daemon.errors)")
    }

    @Test func `A full file system loses no acknowledged session, and writing resumes once it has room`() throws {
        let folder = try Folder()
        try FileManager.default.createDirectory(atPath: folder.data, withIntermediateDirectories: true)
        guard try run("mount", ["-t", "tmpfs", "-o", "size=400k,mode=700", "tmpfs", folder.data]).output == "" else {
            return print("no file system can be mounted here")
        }
        defer { _ = try? run("umount", ["-l", folder.data]) }
        let daemon = try RunningDaemon(keepingIn: folder)
        #expect(daemon.waitUntilUp(), "\(daemon.errors)")
        let client = try daemon.client()
        var answered = 0
        var answer = try client.ask("NEW room0 turns")
        while !answer.isError, answered < 20_000 {
            answered += 1
            answer = try client.ask("NEW room\(answered) turns")
        }
        #expect(answer.code == .journal)
        #expect(answer.sentence?.contains("the disk is full") == true, "\(answer)")
        #expect(try client.ask("STATE room0")["state"]?.text == "first")
        #expect(try run("mount", ["-o", "remount,size=64m", folder.data]).output == "")
        #expect(try eventually { try !client.ask("SEND room0 pass").isError })
        daemon.killIt()
        let next = try RunningDaemon(keepingIn: folder)
        #expect(next.waitUntilUp(), "\(next.errors)")
        let there = try next.client()
        #expect(try there.ask("STATE room0")["state"]?.text == "second")
        for number in 1..<answered { #expect(try !there.ask("STATE room\(number)").isError) }
    }
}
