// Entries that count how often something happened, over restarts.

import TestSupport
import Testing

@Suite struct `A history entry with a count` {
    private static let words = ["--durability", "always", "--time", "virtual"]

    private func counts(_ client: TestClient) throws -> [String] {
        try client.ask("HISTORY room COUNT 100").list.map { entry in
            ["event", "times", "seq", "last_seq", "version", "last_version"]
                .compactMap { entry[$0]?.text ?? entry[$0]?.integer.map(String.init) }.joined(separator: " ")
        }
    }

    @Test(arguments: StoreKind.endings(ofDatabase: true))
    func `The count of a refusal is restored, and continues after a restart`(storeKind: StoreKind, isKilled: Bool) throws {
        let store = try DaemonStore(storeKind)
        var daemon = try store.start(["--durability", "always"])
        _ = try daemon.ask("NEW room turns")
        for times in 1...3 {
            let client = try daemon.client()
            for _ in 1...times { _ = try client.ask("SEND room nonsense") }
            let count = times * (times + 1) / 2
            #expect(try counts(client) == ["nonsense \(count) 2 \(count > 1 ? "\(count + 1) 0 0" : "0")", "NEW 1 1 0"])
            try store.end(daemon, isKilled: isKilled)
            daemon = try store.start(["--durability", "always"])
        }
        _ = try daemon.ask("SEND room pass")
        #expect(try counts(daemon.client()) == ["pass 1 8 1", "nonsense 6 2 7 0 0", "NEW 1 1 0"])
        try store.end(daemon, isKilled: false)
        let row = "SELECT times, seq, last_seq FROM history WHERE event = 'nonsense'"
        #expect(try store.sql(row) == "6|2|7")
    }

    @Test(arguments: [true, false])
    func `The count of a tick is restored, and continues after a restart`(isKilled: Bool) throws {
        let store = try DaemonStore(.directory)
        var daemon = try store.start(Self.words)
        var client = try daemon.client()
        for line in [
            "NEW room game", "SEND room startPlaying", "SEND room chooseEpisode 1", "SEND room chooseLevel 1", "ADVANCE 30s",
            "SEND room startPlaying", "SEND room startPlaying", "ADVANCE 5s", "SEND room startPlaying",
        ] {
            _ = try client.ask(line)
        }
        let before = [
            "startPlaying 3 35 42 33 38", "tick 35 5 41 4 38", "chooseLevel 1 4 3", "chooseEpisode 1 3 2", "startPlaying 1 2 1",
            "NEW 1 1 0",
        ]
        #expect(try counts(client) == before)
        for _ in 1...2 {
            try store.end(daemon, isKilled: isKilled)
            daemon = try store.start(Self.words)
            client = try daemon.client()
            #expect(try counts(client) == before)
        }
        for line in ["ADVANCE 2s", "SEND room startPlaying"] { _ = try client.ask(line) }
        let after = ["startPlaying 4 35 45 33 40", "tick 37 5 44 4 40"] + before.dropFirst(2)
        #expect(try counts(client) == after)
        try store.end(daemon, isKilled: isKilled)
        daemon = try store.start(Self.words)
        client = try daemon.client()
        #expect(try counts(client) == after)
        _ = try client.ask("SEND room completeLevel 7")
        _ = try client.ask("SEND room startPlaying")
        #expect(try counts(client).prefix(2) == ["startPlaying 1 47 41", "completeLevel 1 46 41"])
        try store.end(daemon, isKilled: false)
        let row = "SELECT event, times, seq, last_seq, version, last_version FROM history WHERE times > 1 ORDER BY serial"
        #expect(try store.sql(row) == "tick|37|5|44|4|40\nstartPlaying|4|35|45|33|40")
        #expect(try store.sql("SELECT count(*), count(DISTINCT serial), max(serial) - min(serial) FROM history") == "8|8|7")
    }

    @Test func `A tick whose first entry the store has deleted starts a new entry`() throws {
        let store = try DaemonStore(.directory)
        let few = Self.words + ["--limit", "history=4096"]
        let daemon = try store.start(few)
        let client = try daemon.client()
        for line in [
            "NEW room game", "SEND room startPlaying", "SEND room chooseEpisode 1", "SEND room chooseLevel 1", "ADVANCE 10s",
            "NEW busy turns",
        ] {
            _ = try client.ask(line)
        }
        for _ in 0..<10 {
            client.send((0..<500).map { _ in "SEND busy pass" })
            for _ in 0..<500 { _ = try client.next() }
        }
        _ = try client.ask("ADVANCE 10s")
        #expect(try counts(client) == ["tick 10 15 24 14 23"], "its first ten are too old to be there still")
        try store.end(daemon, isKilled: false)
        #expect(try store.sql("SELECT name, times, seq, last_seq FROM history WHERE event = 'tick'") == "room|10|15|24")
        #expect(try store.sql("SELECT count(*) FROM history_repeats") == "1")
        let again = try store.start(few)
        #expect(try counts(again.client()) == ["tick 10 15 24 14 23"])
        #expect(again.stop() == 0)
    }
}
