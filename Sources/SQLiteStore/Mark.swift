// What was acknowledged, recorded in a file of its own: if the database's log ends before it, something is missing.

import Store

/// The end of the log, as last recorded.
struct Mark: Equatable {
    /// The identity of its database; 0 if it is not known yet.
    var database: Int64 = 0
    /// The last batch that was acknowledged, and the last that was certainly on disk.
    var acknowledged: Int64 = 0
    var synced: Int64 = 0
    var durability = Durability.everysec
    /// The boot in which it was written; 0 if unknown.
    var boot: UInt64 = 0
    /// Whether the last start accepted losses.
    var hasAccepted = false

    /// From twelve hexadecimal digits.
    static func boot(_ text: String) -> UInt64 { UInt64(text, radix: 16) ?? 0 }
}

/// The mark's bytes. The file has two slots, written in turn.
struct MarkSlot {
    static let size = 64
    private static let magic: UInt64 = 0x676D_6172_6B30_3031

    let turn: UInt64
    let mark: Mark

    init(turn: UInt64, _ mark: Mark) {
        (self.turn, self.mark) = (turn, mark)
    }

    /// Nil if the slot was not written whole.
    init?(_ bytes: UnsafeRawBufferPointer) {
        let words = (0..<8).map { UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self)) }
        guard words[0] == Self.magic, words[7] == Self.sum(words[..<7]) else { return nil }
        turn = words[1]
        mark = Mark(
            database: Int64(bitPattern: words[2]), acknowledged: Int64(bitPattern: words[3]),
            synced: Int64(bitPattern: words[4]), durability: words[5] & 1 == 1 ? .always : .everysec, boot: words[6],
            hasAccepted: words[5] & 2 == 2)
    }

    func write(to bytes: UnsafeMutableRawBufferPointer) {
        let flags: UInt64 = (mark.durability == .always ? 1 : 0) | (mark.hasAccepted ? 2 : 0)
        let words = [
            Self.magic, turn, UInt64(bitPattern: mark.database), UInt64(bitPattern: mark.acknowledged),
            UInt64(bitPattern: mark.synced), flags, mark.boot,
        ]
        for (index, word) in (words + [Self.sum(words[...])]).enumerated() {
            bytes.storeBytes(of: word.littleEndian, toByteOffset: index * 8, as: UInt64.self)
        }
    }

    private static func sum(_ words: ArraySlice<UInt64>) -> UInt64 { words.reduce(7) { mix($0, $1) } }
}
