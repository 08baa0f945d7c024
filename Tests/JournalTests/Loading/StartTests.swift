// Starts of a daemon: refused ones, sessions that are set aside, and requests while it is loading.

import Foundation
import TestSupport
import Testing

@Suite struct `A refused start` {
    /// A clean directory with a session in it.
    private func filled() throws -> Folder {
        let folder = try Folder()
        let daemon = try RunningDaemon(keepingIn: folder, ["--session", "room=turns"])
        try #require(daemon.waitUntilUp(), "\(daemon.errors)")
        try #require(daemon.stop() == 0)
        return folder
    }

    private func expectRefusal(_ folder: Folder, _ status: Int32, _ sentence: String, data: String? = nil) throws {
        let before = folder.contents
        let daemon = try RunningDaemon(keepingIn: folder, data: data)
        #expect(daemon.waitForStatus() == status, "\(daemon.errors)")
        #expect(daemon.errors.contains(sentence), "\(daemon.errors)")
        #expect(daemon.errors.hasPrefix("gamed: ") && daemon.errors.split(separator: "\n").count == 1, "\(daemon.errors)")
        // An empty log may be created.
        #expect(folder.contents.filter { $0.value.count > 0 && !$0.key.hasSuffix("-shm") } == before, "a file was changed")
        #expect(!FileManager.default.fileExists(atPath: folder.socket), "a client could connect")
    }

    @Test func `A daemon does not start on a truncated database`() throws {
        let folder = try filled()
        let bytes = try #require(folder.contents["gamed.db"])
        try bytes.prefix(bytes.count - 4_096).write(to: URL(fileURLWithPath: folder.database))
        try expectRefusal(folder, 74, "\(folder.database) is damaged")
    }

    @Test func `A daemon does not start in a read-only directory`() throws {
        let folder = try filled()
        #expect(try run("mount", ["--bind", folder.data, folder.data]).output == "")
        defer { _ = try? run("umount", ["-l", folder.data]) }
        // Root may write to a directory whose mode forbids it, but not to one that is mounted read-only.
        guard try run("mount", ["-o", "remount,bind,ro", folder.data]).output == "" else {
            return print("nothing can be mounted here")
        }
        try expectRefusal(folder, 78, "the data directory \(folder.data) cannot be written")
    }

    @Test func `A daemon does not start if its directory is a file, or has no parent directory`() throws {
        let folder = try Folder()
        try Data("mine".utf8).write(to: URL(fileURLWithPath: folder.data))
        try expectRefusal(folder, 78, "\(folder.data) is not a directory")
        try expectRefusal(
            folder, 78,
            "cannot create the data directory \(folder.path)/a/b: the directory \(folder.path)/a does not exist; create it: mkdir",
            data: folder.path + "/a/b")
    }
}

@Suite struct `Sessions that a start sets aside` {
    /// Three sessions, of which `room` was changed by hand while no daemon ran.
    private func store(_ storeKind: StoreKind = .directory, with change: String) throws -> DaemonStore {
        let store = try DaemonStore(storeKind)
        let daemon = try store.start(isVirtual: false)
        let client = try daemon.client()
        for line in [
            "NEW before turns", "NEW room game", "SEND room startPlaying", "SEND room chooseEpisode 3", "NEW behind turns",
        ] {
            #expect(try !client.ask(line).isError)
        }
        try store.end(daemon, isKilled: false)
        #expect(try store.sql("UPDATE sessions SET checksum = NULL, \(change) WHERE name = 'room'") == "")
        return store
    }

    private static let changes = [
        "flow = 'gone'": "there is no flow 'gone'", "state = 'gone'": "gone", "data = '{\"episode\":\"three\"}'": "episode",
        "data = '{\"epi'": "its stored data is not JSON", "data = '[]'": "must be an object",
        "timers = 'x'": "its stored data is not JSON", "id = 99000000": "its row number 99000000 is beyond",
        "name = printf('%300s', 'x')": "a session's name has 1 to 255 bytes",
        "name = 'before'": "there is another session of that name",
    ]
    /// A database cannot have another row of that name, or invalid JSON, and a node without the flow does not load the shard.
    private static let changesOfDatabase: Set = ["state = 'gone'", "data = '{\"episode\":\"three\"}'", "data = '[]'"]

    @Test(
        arguments: StoreKind.each(
            changes.keys.sorted(),
            ofDatabase: { changesOfDatabase.contains($0) && StoreKind.isThorough }))
    func `A start sets aside a session that it cannot restore, and the others run`(storeKind: StoreKind, change: String) throws
    {
        let reason = try #require(Self.changes[change])
        let store = try store(storeKind, with: change)
        let daemon = try store.start(isVirtual: false)
        let client = try daemon.client()
        let names = try client.ask("SESSIONS 0 STATE !").list.last?.list.compactMap(\.text) ?? []
        let name = try #require(names.first, "\(daemon.errors)")
        #expect(names.count == 1)
        #expect(
            daemon.errors.contains("could not be restored and was set aside: ") && daemon.errors.contains(reason),
            "\(daemon.errors)")
        #expect(try client.ask("INFO persistence").text?.contains("sessions_set_aside:1\r\n") == true)
        for other in ["before", "behind"] { #expect(try client.ask("SEND \(other) pass").text == "second") }
        if name.count > 255 {
            let answer = try client.ask(words: ["RETRY", name])
            #expect(answer.sentence?.contains(reason) == true, "\(answer)")
        }
        if name == "room" {
            for line in ["STATE room", "SEND room x", "NEW room game", "TIMERS room"] {
                let answer = try client.ask(line)
                #expect(answer.code == .setAside && answer.sentence?.contains(reason) == true, "\(line): \(answer)")
            }
        }
        try store.end(daemon, isKilled: false)
        #expect(try store.query("SELECT count(*) FROM sessions") == "3", "it is kept")
        // In a database its row stays as it is: another node may understand it.
        let aside = storeKind == .directory ? "id < 0 AND problem != ''" : "problem IS NULL AND NOT quarantined"
        #expect(try store.query("SELECT count(*) FROM sessions WHERE \(aside)") == (storeKind == .directory ? "1" : "3"))
    }

    @Test func `A set-aside session is reinstated once its flow exists again`() throws {
        let folder = try store(with: "flow = 'gone'").folder
        // Other sessions get its slot.
        for other in ["one", "two"] {
            let daemon = try RunningDaemon(keepingIn: folder)
            try #require(daemon.waitUntilUp())
            #expect(try daemon.ask("STATE room").code == .setAside)
            #expect(try daemon.ask("NEW \(other) turns").text == "first")
            daemon.killIt()
        }
        try folder.sql("UPDATE sessions SET checksum = NULL, flow = 'game' WHERE name = 'room'")
        for _ in 0..<2 {
            let daemon = try RunningDaemon(keepingIn: folder)
            try #require(daemon.waitUntilUp())
            let state = try daemon.ask("STATE room")
            #expect(state["state"]?.text == "choosingLevel" && state["version"]?.integer == 2, "\(state)")
            #expect(state["data"]?.text?.contains("\"episode\":3") == true, "\(state)")
            #expect(try daemon.ask("SESSIONS 0 STATE !").list.last?.list.isEmpty == true)
            for other in ["before", "behind", "one", "two"] {
                #expect(try daemon.ask("STATE \(other)")["flow"]?.text == "turns")
            }
            daemon.killIt()
        }
        #expect(try folder.sql("SELECT name, count(*) FROM sessions GROUP BY 1 HAVING count(*) > 1") == "")
    }

    @Test(arguments: StoreKind.thorough) func `A dropped set-aside session stays dropped after a kill`(storeKind: StoreKind)
        throws
    {
        let store = try store(storeKind, with: storeKind == .directory ? "flow = 'gone'" : "state = 'gone'")
        let daemon = try store.start(isVirtual: false)
        #expect(try daemon.ask("DROP room").integer == 1)
        let next = try store.restart(daemon, isVirtual: false)
        #expect(try next.ask("SESSIONS 0 STATE !").list.last?.list.isEmpty == true)
        #expect(try next.ask("STATE room").code == .noSession)
        #expect(try next.ask("NEW room turns").text == "first")
    }

    /// Impossible numbers, as a damaged disk can produce.
    @Test(arguments: ["since", "saved", "version"], ["9223372036854775807", "-9223372036854775807", "0"])
    func `A session with an impossible time or version in its row is restored`(column: String, number: String) throws {
        let folder = try store(with: "\(column) = \(number)").folder
        try folder.sql(
            "UPDATE history_blocks SET checksum = NULL, entries = json_set(entries, '$[0][4]', \(number), '$[0][5]', \(number))"
        )
        let daemon = try RunningDaemon(keepingIn: folder)
        try #require(daemon.waitUntilUp(), "\(daemon.errors)")
        #expect(try daemon.ask("STATE room")["state"]?.text == "choosingLevel")
        #expect(try !daemon.ask("HISTORY room").isError)
        #expect(daemon.stop() == 0)
    }
}

@Suite struct `A loading daemon` {
    private func large(_ count: Int) throws -> Folder {
        let folder = try Folder()
        let daemon = try RunningDaemon(keepingIn: folder, ["--session", "room=turns"])
        try #require(daemon.waitUntilUp())
        #expect(daemon.stop() == 0)
        try folder.sql(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            INSERT INTO sessions (id, name, life, seq, flow, state, data, timers, version, since, saved, paused, quarantined)
              SELECT i, 's' || i, i + 1, seq, flow, state, data, timers, version, since, saved, paused, 0
              FROM n, sessions WHERE id = 0
            """)
        return folder
    }

    @Test func `A loading daemon refuses commands on sessions, and serves the others`() throws {
        let folder = try large(3_000)
        let gate = folder.path + "/gate"
        try Data().write(to: URL(fileURLWithPath: gate))
        let daemon = try RunningDaemon(keepingIn: folder, environment: ["GAMED_FAILPOINT": "during-recovery@\(gate)"])
        try #require(eventually { (try? daemon.client()) != nil })
        let client = try daemon.client()
        for line in [
            "STATE room", "SEND room pass", "SESSIONS", "NEW other turns", "TIMERS room", "HISTORY room", "NEXT", "DROP room",
        ] {
            let answer = try client.ask(line)
            #expect(answer.code == .loading, "\(line): \(answer)")
        }
        #expect(try client.ask("PING").text == "PONG")
        #expect(try !client.ask("FLOWS").isError)
        #expect(try client.ask("INFO persistence").text?.contains("loading:1\r\n") == true)
        #expect(!daemon.said.contains("kept: "), "it does not report that it is up while it is loading")
        try FileManager.default.removeItem(atPath: gate)
        #expect(daemon.waitUntilUp())
        #expect(try client.ask("STATE s3000")["state"]?.text == "first")
        #expect(try client.ask("INFO sessions").text?.contains("sessions:3001\r\n") == true)
    }

    @Test func `A loading daemon ends at once on SIGTERM, and changes nothing`() throws {
        let folder = try large(60_000)
        let before = try folder.sql("SELECT count(*), sum(saved) FROM sessions")
        let gate = folder.path + "/gate"
        try Data().write(to: URL(fileURLWithPath: gate))
        // The reader has more than fits in its queue, and the loop does not drain it.
        let daemon = try RunningDaemon(keepingIn: folder, environment: ["GAMED_FAILPOINT": "after-restoring@\(gate)"])
        try #require(eventually { FileManager.default.fileExists(atPath: folder.socket) })
        usleep(300_000)
        daemon.signal(SIGTERM)
        try FileManager.default.removeItem(atPath: gate)
        #expect(eventually { !daemon.isRunning }, "it waits for the reader")
        #expect(daemon.isRunning == false && daemon.waitForStatus() == 0)
        #expect(try folder.sql("SELECT count(*), sum(saved) FROM sessions") == before)
    }
}
