// Sessions that have had the same name, one after the other.

import BuiltInFlows
import MemoryStore
import TestSupport
import Testing
import Timers
@testable import EventLoop
@testable import GameDaemon
@testable import Journal
@testable import Sessions

@Suite struct `A session's life` {
    /// A node writes the last one of all its shards into each.
    @Test func `The last life of a shard that comes from another node is not written back as an earlier one`() throws {
        let daemon = try Daemon(on: Loop(Timekeeper(VirtualClock())), flows: [.flow(Turns.self)])
        try daemon.recover(from: MemoryStore())
        let journal = try #require(daemon.persistence?.journal)
        for (last, written) in [(100, 100), (7, 100), (101, 101)] as [(Life, Life)] {
            daemon.sessions.continueLives(afterAtLeast: last)
            #expect(journal.lastLife == written)
        }
        try daemon.persistence?.finish()
    }

    private static let words = ["--durability", "always", "--time", "virtual"]

    @Test(arguments: StoreKind.endings(ofDatabase: true))
    func `A session of a reused name has its own life and history, over restarts`(storeKind: StoreKind, isKilled: Bool) throws {
        let store = try DaemonStore(storeKind)
        var daemon = try store.start()
        var client = try daemon.client()
        var lives: [Int] = []
        // Refused events leave the version at 0, so only the life tells which session owns them.
        for round in 0..<3 {
            _ = try client.ask("NEW a turns")
            lives.append(try #require(client.ask("STATE a")["life"]?.integer))
            for number in 0..<round + 1 { #expect(try client.ask("SEND a nothing\(number)").isError) }
            if round < 2 { _ = try client.ask("DROP a") }
        }
        #expect(lives[0] > 0 && lives[0] < lives[1] && lives[1] < lives[2])
        for _ in 1...2 {
            #expect(try client.ask("HISTORY a").list.count == 4)
            try store.end(daemon, isKilled: isKilled)
            daemon = try store.start()
            client = try daemon.client()
            #expect(try client.ask("STATE a")["life"]?.integer == lives[2])
        }
        #expect(try client.ask("HISTORY a").list.count == 4)
        _ = try client.ask("DROP a")
        _ = try client.ask("NEW a turns")
        #expect(try client.ask("HISTORY a").list.map { $0["what"]?.text } == ["begun"])
        try store.end(daemon, isKilled: true)
        daemon = try store.start()
        #expect(try daemon.ask("HISTORY a").list.map { $0["what"]?.text } == ["begun"])
        #expect(try #require(daemon.ask("STATE a")["life"]?.integer) > lives[2])
        #expect(try daemon.ask("NEW b turns").text == "first")
        #expect(try #require(daemon.ask("STATE b")["life"]?.integer) > lives[2] + 1)
        try store.end(daemon, isKilled: false)
        #expect(try store.sql("select count(distinct life) from history where name = 'a'") == "4")
    }

    @Test func `A session's life is in its messages and in the tables`() throws {
        let folder = try Folder()
        let daemon = try RunningDaemon(keepingIn: folder, Self.words)
        #expect(daemon.waitUntilUp())
        let (client, listener) = (try daemon.client(), try daemon.client())
        _ = try listener.ask("SUBSCRIBE session:a")
        _ = try client.ask("NEW a turns")
        _ = try client.ask("SEND a pass")
        let life = try #require(client.ask("STATE a")["life"]?.integer)
        for version in 0...1 {
            let message = try #require(listener.next().list.last?.text)
            #expect(message.contains("\"life\":\(life),\"version\":\(version)"), "\(message)")
        }
        #expect(daemon.stop() == 0)
        #expect(try folder.sql("select distinct s.life, h.life from sessions s, history h") == "\(life)|\(life)")
    }
}
