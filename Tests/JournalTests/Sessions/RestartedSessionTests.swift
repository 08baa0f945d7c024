// RESTART and UNDROP over a crash: acknowledged changes are kept with their history, and so is the data that they need.

import Foundation
import TestSupport
import Testing
@testable import Commands
@testable import GameDaemon
@testable import Sessions

@Suite struct `A restarted session` {
    private static let flow = """
        { id: "counter", context: { n: { type: "integer", default: 1 } }, initial: "up", events: { add: {} },
          states: { up: { after: { "1m": { name: "turn", target: "down" } }, on: { add: { actions: { assign: { n: "n + 1" } } } } },
                    down: {} } }
        """

    /// A daemon with that flow, and its store.
    private final class Place {
        let store: DaemonStore
        let words: [String]
        private(set) var daemon: RunningDaemon
        private(set) var client: TestClient

        init(_ storeKind: StoreKind) throws {
            store = try DaemonStore(storeKind)
            let file = store.folder.path + "/counter.json5"
            try flow.write(toFile: file, atomically: true, encoding: .utf8)
            words = ["--flows", file]
            daemon = try store.start(words)
            client = try daemon.client()
        }

        func restart(isKilled: Bool) throws {
            daemon = try store.restart(daemon, isKilled: isKilled, words)
            client = try daemon.client()
        }

        func ask(_ line: String) throws -> Answer { try client.ask(line) }

        /// Advances virtual time. Does nothing with a database.
        func pass(_ duration: String) throws { if store.kind == .directory { _ = try ask("ADVANCE \(duration)") } }

        var data: String? { get throws { try ask("STATE room")["data"]?.text } }
        var life: Int? { get throws { try ask("STATE room")["life"]?.integer } }
        var lines: [String] {
            get throws { try ask("HISTORY room").list.map { "\($0["what"]?.text ?? "") \($0["event"]?.text ?? "")" } }
        }
        var sessions: Int? { get throws { try ask("SESSIONS 0 COUNT 1000").list.last?.list.count } }
    }

    @Test(arguments: StoreKind.thoroughEndings(ofDatabase: true))
    func `A restarted session keeps its parameters, life and history over a start`(storeKind: StoreKind, isKilled: Bool) throws
    {
        let place = try Place(storeKind)
        _ = try place.ask(#"NEW room counter "{\"context\":{\"n\":40}}""#)
        _ = try place.ask("SEND room add")
        try place.pass("5s")
        try place.restart(isKilled: isKilled)
        #expect(try place.data == #"{"n":41}"#)
        let life = try #require(try place.life)
        #expect(try place.ask("RESTART room").text == "up")
        #expect(try place.data == #"{"n":40}"#)
        for _ in 0..<2 {
            try place.restart(isKilled: isKilled)
            #expect(try place.data == #"{"n":40}"#)
            #expect(try place.life == life + 1)
            #expect(try place.lines == ["begun RESTART"])
            let left = try #require(try place.ask("TIMERS room").list.first?["remaining_ms"]?.integer)
            #expect(place.store.remaining(of: 60_000).contains(left))
        }
        #expect(try place.sessions == 1)
        try place.store.end(place.daemon, isKilled: false)
        #expect(
            try place.store.sql(
                "select what, coalesce(event, '-') from history where name = 'room' order by serial", startedWith: place.words)
                == "begun|-\ntaken|add\ndropped|RESTART\nbegun|RESTART")
    }

    @Test(arguments: StoreKind.thoroughEndings(ofDatabase: false))
    func `UNDROP restores a session, but not one dropped before the start`(storeKind: StoreKind, isKilled: Bool) throws {
        let place = try Place(storeKind)
        _ = try place.ask(#"NEW room counter "{\"context\":{\"n\":40}}""#)
        _ = try place.ask("SEND room add")
        try place.pass("5s")
        _ = try place.ask("PAUSE room")
        let left = try #require(try place.ask("TIMERS room").list.first?["remaining_ms"]?.integer)
        #expect(place.store.remaining(of: storeKind == .directory ? 55_000 : 60_000).contains(left))
        #expect(try place.ask("DROP room").integer == 1)
        #expect(try place.ask("UNDROP room").text == "up")
        for _ in 0..<2 {
            try place.restart(isKilled: isKilled)
            #expect(try place.data == #"{"n":41}"#)
            #expect(try place.lines == ["begun UNDROP"])
            let timer = try place.ask("TIMERS room").list.first
            #expect(timer?["remaining_ms"]?.integer == left)
            #expect(timer?["paused"]?.integer == 1)
        }
        #expect(try place.ask("RESTART room").text == "up")
        #expect(try place.data == #"{"n":40}"#)
        #expect(try place.ask("DROP room").integer == 1)
        try place.restart(isKilled: isKilled)
        let late = try place.ask("UNDROP room")
        #expect(late.code == .noSession, "\(late)")
        #expect(place.daemon.stop() == 0)
    }

    @Test(arguments: StoreKind.thorough) func `A session is whole or absent after a kill at any moment`(storeKind: StoreKind)
        throws
    {
        let place = try Place(storeKind)
        _ = try place.ask("NEW room counter")
        for round in 0..<6 {
            _ = try place.ask("SEND room add")
            let life = try #require(try place.life)
            // The daemon is killed at once, whether it has replied or not.
            place.client.send(round.isMultiple(of: 2) ? ["RESTART room"] : ["DROP room", "UNDROP room"])
            if round > 2 { usleep(useconds_t(round) * 700) }
            try place.restart(isKilled: true)
            let state = try place.ask("STATE room")
            if state.code == .noSession {
                #expect(!round.isMultiple(of: 2), "a restart never drops the session")
                _ = try place.ask("NEW room counter")
                continue
            }
            let now = try #require(state["life"]?.integer)
            #expect(now == life || now == life + 1)
            #expect(try place.ask("TIMERS room").list.count == 1)
            #expect(try place.sessions == 1)
        }
        #expect(place.daemon.stop() == 0)
    }
}

@Suite struct `The creator of a session` {
    @Test func `A session keeps its creator over restarts of the session and of the daemon`() throws {
        let folder = try Folder()
        var daemon = try DirectoryDaemon(folder, .always)
        func run(_ line: String, by name: String) {
            let client = LocalClient(of: daemon.daemon.host, from: .network, named: name)
            _ = client.run(line.split(separator: " ").map(String.init))
        }
        let names = ["plain", "room", "again"]
        func creators() -> [String?] { names.map { name in daemon.daemon.sessions.find(name)?.creator } }

        for name in names { run("NEW \(name) turns", by: "ann") }
        run("DROP again", by: "ann")
        run("NEW again turns", by: "bob")
        run("RESTART again", by: "ann")
        for _ in 0..<3 {
            run("SEND room pass", by: "eve")
            run("RESTART room", by: "bob")
        }
        #expect(creators() == ["ann", "ann", "bob"])
        for _ in 0..<2 {
            try daemon.finish()
            daemon = try DirectoryDaemon(folder, .always)
            #expect(creators() == ["ann", "ann", "bob"])
            run("RESTART room", by: "bob")
            #expect(creators() == ["ann", "ann", "bob"])
        }
        try daemon.finish()
    }
}
