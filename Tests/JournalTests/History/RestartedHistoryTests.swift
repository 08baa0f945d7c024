// Operator actions, entry numbers and histories of dropped sessions, over restarts of the real daemon.

import Foundation
import TestSupport
import Testing

@Suite struct `Histories over restarts` {
    private func start(_ store: DaemonStore, _ words: [String] = []) throws -> (daemon: RunningDaemon, client: TestClient) {
        let daemon = try store.start(words)
        return (daemon, try daemon.client())
    }

    /// Returns the entries, the oldest first.
    private func history(_ client: TestClient, _ name: String) throws -> [Answer] {
        try client.ask("HISTORY \(name)").list.reversed()
    }

    /// Returns the name of the user that runs the tests.
    private func me() throws -> String { try run("id", ["-un"]).output.trimmingCharacters(in: .whitespacesAndNewlines) }

    /// Runs each operator action on a session that the start has created.
    private func doEverything(_ client: TestClient) throws {
        for line in ["PAUSE room", "RESUME room", "EXTEND room turn 5s", "PAUSE room turn", "RESUME room turn"] {
            #expect(try !client.ask(line).isError)
        }
        #expect(try client.ask("SEND room pass").text == "second")
        #expect(try client.ask("FORCE room first").text == "first")
    }

    @Test(arguments: StoreKind.endings(ofDatabase: false))
    func `The history and its table give the actor of each event and each operator action`(storeKind: StoreKind, isKilled: Bool)
        throws
    {
        let store = try DaemonStore(storeKind)
        var (daemon, client) = try start(store, ["--session", "room=turns"])
        try doEverything(client)
        let me = try me()
        let deeds = ["begun", "paused", "resumed", "extended", "paused", "resumed", "taken", "forced"]
        for _ in 1...2 {
            let lines = try history(client, "room")
            #expect(lines.map { $0["what"]?.text } == deeds)
            #expect(lines.map { $0["actor"]?.text } == ["--session", me, me, me, me, me, me, me])
            #expect(lines.map { $0["timer"]?.text } == [nil, nil, nil, "turn", "turn", "turn", nil, nil])
            #expect(lines.map { $0["payload"]?.text } == [nil, nil, nil, "5000", nil, nil, nil, nil])
            #expect(
                lines.map { $0["event"]?.text } == ["NEW", "PAUSE", "RESUME", "EXTEND", "PAUSE", "RESUME", "pass", "FORCE"])
            try store.end(daemon, isKilled: isKilled)
            (daemon, client) = try start(store)
        }
        #expect(try client.ask("DROP room").integer == 1)
        try store.end(daemon, isKilled: isKilled)
        #expect(
            try store.sql("select what, coalesce(actor, '-'), flow from history where name = 'room' order by serial")
                == (zip(deeds, ["--session", me, me, me, me, me, me, me]).map { "\($0)|\($1)|turns" } + ["dropped|\(me)|turns"])
                .joined(separator: "\n"))
    }

    @Test(arguments: StoreKind.endings(ofDatabase: true))
    func `History entry numbers continue over restarts, and start at 1 in a new life`(storeKind: StoreKind, isKilled: Bool)
        throws
    {
        let store = try DaemonStore(storeKind)
        var (daemon, client) = try start(store, ["--session", "room=turns"])
        /// Returns the entry numbers that a subscriber receives while these commands run.
        func numbers(_ lines: [String]) throws -> [Int] {
            let listener = try daemon.client()
            _ = try listener.ask("SUBSCRIBE session:room")
            return try lines.map { line in
                _ = try client.ask(line)
                let text = try #require(listener.next().list.last?.text)
                return try #require(text.firstMatch(of: #/"seq":(\d+)/#).flatMap { Int($0.1) })
            }
        }
        #expect(try numbers(["SEND room pass", "SEND room nothing", "PAUSE room", "EXTEND room turn 1s"]) == [2, 3, 4, 5])
        try store.end(daemon, isKilled: isKilled)
        (daemon, client) = try start(store)
        #expect(try numbers(["RESUME room", "SEND room nothing"]) == [6, 7], "after an entry that has changed no version")
        try store.end(daemon, isKilled: isKilled)
        (daemon, client) = try start(store)
        // The last entry was a refusal, which stores no session.
        #expect(try numbers(["SEND room pass", "DROP room", "NEW room turns", "SEND room pass"]) == [8, 9, 1, 2])
        try store.end(daemon, isKilled: isKilled)
        (daemon, client) = try start(store)
        #expect(try numbers(["SEND room pass"]) == [3])
        #expect(daemon.stop() == 0)
        #expect(
            try store.sql("select seq from history order by life, serial").split(separator: "\n").compactMap { Int($0) }
                == Array(1...9) + Array(1...3))
        #expect(try store.sql("select seq from sessions") == "3")
    }

    @Test(arguments: StoreKind.endings(ofDatabase: false))
    func `HISTORY shows a dropped session's entries until a new session has its name`(storeKind: StoreKind, isKilled: Bool)
        throws
    {
        let store = try DaemonStore(storeKind)
        var (daemon, client) = try start(store)
        for line in ["NEW a turns", "SEND a pass", "SEND a nothing", "NEW b turns", "DROP a", "DROP b", "NEW c turns"] {
            #expect(try client.ask(line).isError == line.hasSuffix("nothing"))
        }
        for _ in 1...2 {
            #expect(try history(client, "a").map { $0["what"]?.text } == ["begun", "taken", "refused", "dropped"])
            #expect(try history(client, "a").map { $0["version"]?.integer } == [0, 1, 1, 1])
            #expect(try history(client, "b").map { $0["what"]?.text } == ["begun", "dropped"])
            #expect(try history(client, "a").last?["actor"]?.text == me())
            #expect(try client.ask("STATE a").code == .noSession)
            try store.end(daemon, isKilled: isKilled)
            (daemon, client) = try start(store)
        }
        #expect(try client.ask("NEW a game").text == "introduction")
        for _ in 1...2 {
            #expect(try history(client, "a").map { $0["to"]?.text } == ["introduction"])
            try store.end(daemon, isKilled: isKilled)
            (daemon, client) = try start(store)
        }
        #expect(try client.ask("DROP a").integer == 1)
        for _ in 1...2 {
            #expect(try history(client, "a").map { $0["what"]?.text } == ["begun", "dropped"])
            #expect(try history(client, "a").map { $0["to"]?.text } == ["introduction", "introduction"])
            try store.end(daemon, isKilled: isKilled)
            (daemon, client) = try start(store)
        }
        #expect(daemon.stop() == 0)
    }

    @Test func `A dropped session's history is gone once newer entries have displaced it`() throws {
        let store = try DaemonStore(.directory)
        let few = ["--limit", "history=4096"]
        var (daemon, client) = try start(store, few)
        for line in ["NEW busy turns", "NEW a turns", "SEND a pass", "DROP a"] { #expect(try !client.ask(line).isError) }
        func refuse(_ count: Int) throws {
            for _ in 0..<count / 500 {
                client.send((0..<500).map { "SEND busy nothing\($0)" })
                for _ in 0..<500 { #expect(try client.next().isError) }
            }
        }
        try refuse(1_000)
        try store.end(daemon, isKilled: true)
        (daemon, client) = try start(store, few)
        #expect(try history(client, "a").count == 3)
        try refuse(9_000)
        #expect(try client.ask("HISTORY a").code == .noSession)
        try store.end(daemon, isKilled: false)
        (daemon, client) = try start(store, few)
        #expect(try client.ask("HISTORY a").code == .noSession)
        #expect(try history(client, "busy").count == 20)
        #expect(daemon.stop() == 0)
    }
}
