// A message is handed out once, whenever it is read.

import Testing
@testable import Journal
@testable import Store

@Suite struct `A mailbox` {
    private var box = Mailbox(Shard(3, epoch: 1))

    private func messages(_ numbers: Int64...) -> [WaitingMessage] {
        numbers.map { WaitingMessage(MessageID($0, key: -$0), []) }
    }

    @Test mutating func `A mailbox returns messages in order, and reads again only if more may be waiting`() {
        #expect(box.beginReading(committedThrough: 0) == [])
        #expect(box.beginReading(committedThrough: 0) == nil, "one reading at a time")
        box.endReading(messages(4, 7), isAll: true)
        box.expectMore()
        #expect(box.beginReading(committedThrough: 0) == nil, "not before these are handed out")
        #expect(number(in: 1) == 4 && number(in: 1) == 7 && box.dequeue(in: 1) == nil)
        #expect(box.beginReading(committedThrough: 0)?.sorted() == [4, 7])
        box.endReading([], isAll: true)
        #expect(box.beginReading(committedThrough: 0) == nil, "no further message is expected")
    }

    private mutating func number(in turn: UInt64) -> Int64? { box.dequeue(in: turn)?.message.id.number }

    @Test mutating func `A mailbox recognizes a message that the database has lost, and got again under another number`() {
        _ = box.beginReading(committedThrough: 0)
        box.endReading(messages(1, 2), isAll: true)
        #expect(box.dequeue(in: 5)?.isRepeated == false && box.dequeue(in: 5)?.isRepeated == false)
        box.expectMore()
        #expect(box.beginReading(committedThrough: 4)?.sorted() == [1, 2])
        box.endReading([WaitingMessage(MessageID(9, key: -2), []), WaitingMessage(MessageID(1, key: -3), [])], isAll: true)
        #expect(box.dequeue(in: 6)?.isRepeated == true)
        #expect(box.dequeue(in: 6)?.isRepeated == false, "another message with a number that was given before")
    }

    @Test mutating func `A mailbox leaves a message that it keeps in the database, and does not read it again`() {
        _ = box.beginReading(committedThrough: 0)
        box.endReading(messages(1, 2), isAll: true)
        let kept = [number(in: 5), number(in: 5)].compactMap { $0 }.map { box.keep(MessageID($0, key: -$0)) }
        #expect(kept == [true, false], "only the first is logged")
        box.expectMore()
        #expect(box.beginReading(committedThrough: 100)?.sorted() == [1, 2])
        // The database has lost it, and its sender's node wrote it again.
        box.endReading([WaitingMessage(MessageID(9, key: -2), [])], isAll: true)
        #expect(box.dequeue(in: 101)?.isRepeated == false)
    }

    @Test mutating func `A mailbox does not read a message again before its deletion is committed`() {
        _ = box.beginReading(committedThrough: 0)
        box.endReading(messages(1, 2), isAll: false)
        _ = (box.dequeue(in: 5), box.dequeue(in: 6))
        #expect(box.beginReading(committedThrough: 5) == [2])
        box.endReading([], isAll: true)
        box.expectMore()
        #expect(box.beginReading(committedThrough: 6) == [])
    }
}
