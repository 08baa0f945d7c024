// A stop under load: the tables stay behind the log, and nothing is lost.

import BuiltInFlows
import GameFlow
import MemoryStore
import RESP
import Testing
import TestSupport
import Timers
@testable import Commands
@testable import EventLoop
@testable import GameDaemon
@testable import Journal
@testable import Sessions

@Suite struct `A stop under load` {
    private final class House {
        let daemon: Daemon
        let store: MemoryStore
        private let client: LocalClient

        init(_ store: MemoryStore) throws {
            self.store = store
            daemon = try Daemon(on: Loop(Timekeeper(VirtualClock())), flows: [.flow(Turns.self)])
            client = LocalClient(of: daemon.host, from: .network)
            try daemon.recover(from: store)
        }

        func run(_ lines: [String]) throws {
            daemon.loop.schedule { [client] in
                for line in lines { _ = client.run(line.split(separator: " ").map(String.init)) }
            }
            try daemon.loop.turn()
        }

        var versions: [String: UInt32] {
            Dictionary(uniqueKeysWithValues: daemon.sessions.all.map { ($0.name, $0.machine.version) })
        }

        /// Stops as far as these bounds let it.
        func stop(rows: Int, bytes: Int = .max) throws {
            daemon.persistence?.tables.ending = .init(rows: rows, bytes: bytes)
            try daemon.end()
        }
    }

    /// Thousands of rows, so that a stop takes several transactions.
    private static let count = 3_000

    private func playedHouse() throws -> House {
        let house = try House(MemoryStore(.always, historyCapacity: 20_000))
        try house.run((0..<Self.count).map { "NEW room-\($0) turns" })
        for round in [3, 2, 1] { try house.run((0..<Self.count / round).map { "SEND room-\($0) pass" }) }
        return house
    }

    @Test(arguments: [0, 1, 1_001])
    func `A bounded stop may leave the tables behind, and the next start recovers every session`(rows: Int) throws {
        let house = try playedHouse()
        let versions = house.versions
        try house.stop(rows: rows)
        #expect(house.store.loggedBatches > 0, "the tables lack something")
        let next = try House(house.store.successor())
        #expect(next.versions == versions && versions.count == Self.count)
        try next.run(["SEND room-0 pass"])
        try next.stop(rows: .max)
        #expect(next.store.loggedBatches == 0)
        #expect(try House(next.store.successor()).versions["room-0"] == 4)
    }

    @Test func `A stop applies no more bytes to the tables than its bound`() throws {
        let house = try playedHouse()
        try house.stop(rows: .max, bytes: 1_000)
        #expect(house.store.loggedBatches > 0)
        #expect(try House(house.store.successor()).versions.count == Self.count)
    }

    @Test func `A stop with less work than its bounds allow leaves no logged batch behind`() throws {
        let house = try playedHouse()
        try house.daemon.end()
        #expect(house.store.loggedBatches == 0)
    }
}

@Suite struct `A node that has shards left at its deadline` {
    @Test func `Changes of the last moment are committed, although the sessions are gone`() throws {
        let store = MemoryStore(.everysec)
        let daemon = try Daemon(on: Loop(Timekeeper(VirtualClock())), flows: [.flow(Turns.self)])
        try daemon.recover(from: store)
        let client = LocalClient(of: daemon.host, from: .network)
        daemon.loop.schedule {
            for line in ["NEW room turns", "SEND room pass"] { _ = client.run(line.split(separator: " ").map(String.init)) }
            daemon.persistence?.prepareToLeave()
            daemon.persistence?.forgetAll()
        }
        try daemon.loop.turn()
        #expect(daemon.sessions.all.isEmpty)
        try daemon.end()
        let next = try Daemon(on: Loop(Timekeeper(VirtualClock())), flows: [.flow(Turns.self)])
        try next.recover(from: store.successor())
        #expect(next.sessions["room"]?.stateName == "second")
        try next.end()
    }
}

@Suite struct `A daemon that has ended` {
    @Test func `A daemon that has ended releases its store and its reader`() throws {
        weak var store: MemoryStore?
        weak var reader: ShardReader?
        do {
            let owned = MemoryStore(.always, historyCapacity: 100)
            let daemon = try Daemon(on: Loop(Timekeeper(VirtualClock())), flows: [.flow(Turns.self)])
            try daemon.recover(from: owned)
            (store, reader) = (owned, daemon.persistence?.reader)
            #expect(reader != nil)
            try daemon.end()
        }
        // A worker may hold them until its last instruction.
        #expect(eventually { store == nil && reader == nil })
    }
}
