// Turns that the loop's journal hands to the writer of a shared store.

import Cluster
import Memory
import RESP
import Store
import TestSupport
import Testing
@testable import Journal
@testable import Sessions

extension `The writer of a shared store` {
    private func journal() throws -> Journal {
        let map = try #require(ShardMap(count: 4))
        let journal = Journal(writer, .always, map, StoreClock(), ActorTable())
        for number in 0..<4 { journal.own(Self.shard(number), after: 10) }
        return journal
    }

    @Test func `A turn in which a changed shard is released is reported as lost`() throws {
        let journal = try journal()
        journal.markApplied(MessageID(7, key: 7), in: 1)
        journal.markApplied(MessageID(8, key: 8), in: 2)
        journal.disown(1)
        #expect(!journal.endTurn(writer.report))
        store.complete(with: .refused([]))
        #expect(becomesSafe(through: 1))
        #expect(writer.report.lostThrough == 1)
        #expect(
            store.sent.count == 1 && store.sent[0].map(\.shard) == [2] && store.sent[0].map(\.taken) == [[MessageID(8, key: 8)]]
        )
        journal.markApplied(MessageID(9, key: 9), in: 2)
        #expect(!journal.endTurn(writer.report))
        store.complete(with: .refused([]))
        #expect(becomesSafe(through: 2))
        #expect(writer.report.lostThrough == 1)
    }

    @Test func `A turn in which an unchanged shard is released is not lost`() throws {
        let journal = try journal()
        journal.markApplied(MessageID(8, key: 8), in: 2)
        journal.disown(1)
        #expect(!journal.endTurn(writer.report))
        store.complete(with: .refused([]))
        #expect(becomesSafe(through: 1))
        #expect(writer.report.lostThrough == 0)
    }

    @Test func `Small changes of several turns become one commit while another is in flight`() throws {
        let journal = try journal()
        drop("a long name that takes some bytes", in: journal)
        #expect(!journal.endTurn(writer.report))
        for _ in 1...3 {
            drop("a", in: journal)
            #expect(!journal.endTurn(writer.report))
            #expect((journal.awaited(writer.report), journal.handedOver) == (2, 1))
        }
        #expect(journal.backlogBytes > 0)
        store.complete(with: .refused([]))
        #expect(becomesSafe(through: 1))
        #expect(!journal.endTurn(writer.report))
        store.complete(with: .refused([]))
        #expect(becomesSafe(through: 2))
        #expect(store.sent.count == 2 && store.sent[1].count == 1)
        #expect((journal.awaited(writer.report), journal.backlogBytes) == (nil, 0))
    }

    @Test func `A commit as large as the one in flight is sent at once`() throws {
        let journal = try journal()
        for _ in 1...2 {
            drop("a", in: journal)
            #expect(!journal.endTurn(writer.report))
        }
        #expect(journal.handedOver == 2)
        for _ in 1...2 { store.complete(with: .refused([])) }
        #expect(becomesSafe(through: 2))
    }

    private func drop(_ name: ByteString, in journal: Journal) { name.withStored { journal.drop(0, named: $0) } }
}
