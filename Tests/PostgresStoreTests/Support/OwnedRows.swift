// Rows that tests write, with any values.

import JSON
import Store

/// A session's row, owned.
struct OwnedSession: Equatable {
    var name = "room-7"
    var flow = "quiz"
    var state = "lobby"
    var data = "{}"
    var timers = "[]"
    var version: Int64 = 1
    var since: Int64 = 1_700_000_000_123
    var saved: Int64 = 1_700_000_000_123_456_789
    var paused = false
    var life: Int64 = 1
    var waiting: String?
    var context: String?
    var quarantined = false
    var seq: Int64 = 1

    func lend<Result>(id: Int64 = 0, _ body: (SessionRow) throws(StoreError) -> Result) throws(StoreError) -> Result {
        let texts = [name, flow, state, data, timers, waiting ?? "", context ?? ""].map { Array($0.utf8) }
        return try LentTexts.lend(texts) { texts throws(StoreError) in
            try body(
                SessionRow(
                    id: id, name: texts[0], flow: texts[1], state: texts[2], data: texts[3], timers: texts[4], version: version,
                    since: since, saved: saved, paused: paused, life: life, waiting: waiting == nil ? nil : texts[5],
                    context: context == nil ? nil : texts[6], quarantined: quarantined, seq: seq))
        }
    }
}

extension OwnedSession {
    init(_ row: SessionRow) {
        self.init(
            name: row.name.string, flow: row.flow.string, state: row.state.string, data: row.data.string,
            timers: row.timers.string,
            version: row.version, since: row.since, saved: row.saved, paused: row.paused, life: row.life,
            waiting: row.waiting?.string, context: row.context?.string, quarantined: row.quarantined, seq: row.seq)
    }
}

/// An entry of the history, in a block of its own; its payload is bytes as a client may send them.
struct OwnedEntry {
    var serial: Int64 = 1
    var name = "room-7"
    var at: Int64 = 1_700_000_000_123
    var payload: [UInt8]? = nil
    var to = "lobby"
    var life: Int64 = 1

    func lend(_ body: (HistoryBlock) throws(StoreError) -> Void) throws(StoreError) {
        let payload = payload.map { Array("\"".utf8) + $0 + Array("\"".utf8) } ?? Array("null".utf8)
        let start = "[[\(serial),\"\(name)\",\(life),1,1,\(at),0,0,0,0,0,null,null,null,"
        let texts = [Array("[\"\(to)\"]".utf8), Array(start.utf8) + payload + Array("]]".utf8)]
        try LentTexts.lend(texts) { texts throws(StoreError) in
            try body(HistoryBlock(first: serial, last: serial, count: 1, names: texts[0], entries: texts[1]))
        }
    }

    /// Entries with these serial numbers, in one block.
    static func lendBlock(
        _ serials: ClosedRange<Int64>, _ body: (HistoryBlock) throws(StoreError) -> Void
    ) throws(StoreError) {
        let entries = serials.map { "[\($0),\"room-7\",1,1,1,1,0,0,0,0,0]" }.joined(separator: ",")
        try LentTexts.lend([Array("[\"lobby\"]".utf8), Array("[\(entries)]".utf8)]) { texts throws(StoreError) in
            try body(
                HistoryBlock(
                    first: serials.lowerBound, last: serials.upperBound, count: Int64(serials.count), names: texts[0],
                    entries: texts[1]))
        }
    }

    static func payload(in block: HistoryBlock) -> String? {
        guard case .array(let entries)? = try? JSON(parsing: block.entries.string), case .array(let values)? = entries.first
        else { return nil }
        return values[HistoryColumn.payload.place].text
    }
}

enum LentTexts {
    /// Lends several pieces of memory at once.
    static func lend<Result>(
        _ pieces: [[UInt8]], _ body: ([Text]) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let copies = pieces.map { piece in
            let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, piece.count), alignment: 1)
            copy.copyBytes(from: piece)
            return (copy, piece.count)
        }
        defer { for (copy, _) in copies { copy.deallocate() } }
        return try body(copies.map { UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer($0.0)[..<$0.1]) })
    }
}
