// Where a client of a stream continues after a lost connection.

import Commands
import GameFlow
import Memory
import Sessions

/// The changes and entries that a client of a stream has been sent. Each event has it as its id, which the client sends when it reconnects.
struct StreamPosition {
    /// The newest entry of a history that has been sent.
    struct Entry: Equatable {
        let life: Life
        let seq: UInt32
    }

    /// The number of the next change in the table of sessions; nil if the table has not been sent.
    private(set) var rows: UInt64?
    /// By the hash of the session's name.
    private var entries: [UInt64: Entry] = [:]

    init() {}

    /// Reads `BOOT-ROWS~HASH.LIFE.SEQ~…`. Nothing has been sent if another run of the daemon wrote it, or if it is no id. The
    /// table has not been sent if the client had other sessions than these (nil for all).
    init(_ id: String, of scope: SessionScope?, in feed: Feed) {
        let parts = id.split(separator: "~", omittingEmptySubsequences: false)
        rows = feed.number(in: String(parts[0]), of: scope)
        guard parts[0].prefix(while: { $0 != "-" }) == feed.boot else { return }
        for part in parts.dropFirst() {
            let numbers = part.split(separator: ".", omittingEmptySubsequences: false)
            guard numbers.count == 3, let name = UInt64(numbers[0], radix: 16), let life = Life(numbers[1]),
                let seq = UInt32(numbers[2])
            else { continue }
            entries[name] = Entry(life: life, seq: seq)
        }
    }

    subscript(name: ByteString) -> Entry? {
        get { entries[Self.hash(name)] }
        set { entries[Self.hash(name)] = newValue }
    }

    private static func hash(_ name: ByteString) -> UInt64 { name.withBytes { FNV1a($0).value } }

    /// The id of an event after which `rows` is the number of the next change.
    func id(_ rows: UInt64?, of scope: SessionScope?, in feed: Feed) -> String {
        entries.sorted { $0.key < $1.key }.reduce(into: feed.position(rows, of: scope)) { id, entry in
            id += "~\(String(entry.key, radix: 16)).\(entry.value.life).\(entry.value.seq)"
        }
    }
}
