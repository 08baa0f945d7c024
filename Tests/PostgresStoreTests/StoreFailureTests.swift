// The journal's requirements of every store that fails: failed commits, crashed processes, and stores that lose acknowledged rows.

import MemoryStore
import Seeds
import Store
import Testing

@Suite struct `Every store that fails` {
    @Test(arguments: ReopenedStore.Kind.all)
    func `A failing store appends all batches of a commit or none, and accepts them once repaired`(kind: ReopenedStore.Kind)
        throws
    {
        let kept = try ReopenedStore(kind)
        try kept.append(1, "one")
        try kept.breakLog(from: 2)
        for _ in 0..<3 {
            #expect(throws: StoreError.self) { try kept.appendPair(from: 2) }
            if kind == .database { try kept.reopen() }
        }
        try kept.repairLog(from: 2)
        #expect(try kept.pair(from: 2) == [])
        #expect(try kept.tables.lastLogged(in: kept.shard) == 1)
        try kept.appendPair(from: 2)
        try kept.crash()
        #expect(try kept.pair(from: 2) == ["first", "second"])
    }

    @Test(arguments: ReopenedStore.Kind.all)
    func `A store with an empty log keeps its last number over a clean end and a crash`(kind: ReopenedStore.Kind) throws {
        let kept = try ReopenedStore(kind)
        for number in 1...2 { try kept.append(Int64(number), "\(number)") }
        try kept.write(covering: 2) { _ throws(StoreError) in }
        while try kept.tables.maintain([kept.shard]) {}
        for end in [kept.crash, kept.reopen] {
            try end()
            #expect(try kept.logged() == [:])
            #expect(try kept.tables.lastLogged(in: kept.shard) == 2)
            #expect(try kept.log.lastLogged(in: [kept.shard]) == [kept.shard.number: 2])
        }
        try kept.append(3, "three")
        #expect(try kept.logged() == [3: "three"])
    }

    @Test(arguments: ReopenedStore.Kind.all)
    func `Every store keeps acknowledged changes when it crashes between any two calls`(kind: ReopenedStore.Kind) throws {
        var random = SeededGenerator.announced("crashes of every store, \(kind)", seed: 30)
        let kept = try ReopenedStore(kind)
        var (log, sessions): ([Int64: String], [String: OwnedSession]) = ([:], [:])
        var last: Int64 = 0
        for step in 0..<60 {
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                last += 1
                log[last] = "step \(step)"
                try kept.append(last, "step \(step)")
            case 2:
                let session = OwnedSession(name: "room-\(step % 5)", version: Int64(step))
                sessions[session.name] = session
                // The log is applied to the tables, which record its last number.
                try kept.write(covering: last) { writer throws(StoreError) in
                    try session.lend(id: Int64(step % 5)) { row throws(StoreError) in try writer.session(row) }
                }
                log = [:]
            default:
                #expect(throws: StoreError.self) {
                    try kept.write { writer throws(StoreError) in
                        try OwnedSession(name: "half").lend(id: 9) { row throws(StoreError) in try writer.session(row) }
                        throw StoreError(.failed, "the process ends here")
                    }
                }
                try kept.crash()
            }
            let found = try kept.found()
            try #require(found.sessions == sessions && found.lastLogged == last, "step \(step)")
            try #require(try kept.logged() == log, "step \(step)")
        }
    }

    /// A disk that has dropped what it acknowledged, or a database that was restored to an earlier moment.
    @Test(arguments: ReopenedStore.Kind.onDisk)
    func `A directory that has lost its newest batches is refused, and a database has a lower last number`(
        kind: ReopenedStore.Kind
    )
        throws
    {
        let kept = try ReopenedStore(kind)
        for number in 1...5 { try kept.append(Int64(number), "\(number)") }
        try kept.edit(directory: "DELETE FROM log WHERE id > 3", database: "DELETE FROM log WHERE seq > 3")
        do {
            try kept.reopen()
            #expect(try kept.tables.lastLogged(in: kept.shard) == 3)
            #expect(try kept.logged().keys.sorted() == [1, 2, 3])
            #expect(kind == .database)
        } catch let error as StoreError {
            #expect(kind == .directory && error.cause == .damaged, "\(error)")
        }
    }

    @Test(arguments: ReopenedStore.Kind.onDisk)
    func `A store refuses a batch of its log that was changed`(kind: ReopenedStore.Kind) throws {
        let kept = try ReopenedStore(kind)
        for number in 1...3 { try kept.append(Int64(number), "\(number)") }
        try kept.edit(
            directory: "UPDATE log SET entries = 'changed' WHERE id = 2",
            database: "UPDATE log SET batch = 'changed' WHERE shard = 0 AND seq = 2")
        #expect(#expect(throws: StoreError.self) { try kept.logged() }?.cause == .damaged)
    }

    /// The daemon's fuzzer restarts from it.
    @Test func `A memory store keeps its rows when it dies, and the old process cannot change them`() throws {
        let store = MemoryStore()
        let log = try store.openLog()
        func append(_ number: Int64) throws {
            try withText("\(number)") { bytes throws(StoreError) in
                try log.send([ShardBatch(.only, number: number, bytes: bytes)])
            }
        }
        store.die(after: 1)
        try append(1)
        #expect(throws: StoreError.self) { try append(2) }
        #expect(throws: StoreError.self) { try store.close() }
        let next = store.successor()
        try append(3)
        var found: [String] = []
        try next.openTables().loadLog(.only) { found.append($1.string) }
        #expect(found == ["1"])
    }
}
