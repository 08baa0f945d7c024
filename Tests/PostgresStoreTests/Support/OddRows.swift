// Rows with what is at the edge of what there can be.

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
        return try Lent.lend(texts) { texts throws(StoreError) in
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

/// A history line, owned; its payload is bytes as a client may send them.
struct OwnedLine {
    var serial: Int64 = 1
    var name = "room-7"
    var at: Int64 = 1_700_000_000_123
    var payload: [UInt8]? = nil
    var to = "lobby"
    var refused: String?
    var life: Int64 = 1

    func lend(_ body: (HistoryRow) throws(StoreError) -> Void) throws(StoreError) {
        let texts = [Array(name.utf8), payload ?? [], Array(to.utf8), Array((refused ?? "").utf8), Array("ui".utf8)]
        try Lent.lend(texts) { texts throws(StoreError) in
            try body(
                HistoryRow(
                    serial: serial, session: 0, name: texts[0], at: at, source: texts[4], event: nil, timer: nil,
                    from: texts[2],
                    to: texts[2], version: 1, refused: refused == nil ? nil : texts[3],
                    payload: payload == nil ? nil : texts[1],
                    life: life, what: texts[4], seq: 1, flow: texts[0]))
        }
    }
}

enum Lent {
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
