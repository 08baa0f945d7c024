// The log of a shard can have batches of several owners after its database went back in time. Each owner assigns slots of its own.

import GameFlow
import Posix
import Testing
@testable import Journal

@Suite struct `A log with batches of several owners` {
    private let machines: [AnyMachine]

    init() throws {
        let pair = try Pair()
        try pair.begin("first", "second")
        machines = try ["first", "second"].map { try #require(pair[$0]) }
    }

    private func batch(_ body: (BatchEncoder, UnsafeRawBufferPointer) -> Void) throws -> Batch {
        let encoder = BatchEncoder(boot: "")
        Array("room".utf8).withUnsafeBytes { body(encoder, $0) }
        let row = BatchBytes()
        encoder.close(into: row)
        return try row.batches()[0]
    }

    /// The session `room` in the slot of one of the machines.
    private func image(_ place: Int) throws -> Batch {
        try batch { $0.image(machines[place], $1, 1, seq: 1, TurnTime(wallNanoseconds: 1, bootNanoseconds: 1)) }
    }

    private func drop(_ place: Int) throws -> Batch { try batch { $0.drop(machines[place].tag, named: $1) } }

    private func rows(_ batches: Batch...) throws -> Int {
        try TablesRound(batches, loggedThrough: 1, historyLines: 10).rowCount
    }

    @Test func `writes one row for a session that has another slot with each owner`() throws {
        #expect(machines[0].tag != machines[1].tag)
        #expect(try rows(image(0), image(1)) == 1)
    }

    @Test func `deletes a session that another owner dropped, and writes one that was created after that`() throws {
        #expect(try rows(image(0), drop(1)) == 1, "the drop alone")
        #expect(try rows(image(0), drop(1), image(1)) == 2, "the drop, then the new session")
    }
}
