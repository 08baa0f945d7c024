// `gamed.mark`, mapped into memory. Changing the mark takes a few stores and no system call. The file keeps the stores of a killed process.

import Glibc
import Posix
import Store

/// The mark on disk. Without it everything works, but a loss at the log's end would go unnoticed.
package final class MarkFile {
    static let name = "gamed.mark"
    private static let size = 4_096

    /// The contents of the file when it was opened.
    enum Contents: Equatable {
        case nothing
        case mark(Mark)
        /// The file exists, but its contents are invalid.
        case unreadable
    }

    let found: Contents
    private let path: String
    private var memory: UnsafeMutableRawPointer?
    private var turn: UInt64
    private(set) var mark: Mark

    /// Reads the file; nothing is written yet.
    init(in directory: String) throws(StoreError) {
        path = directory + "/" + Self.name
        let bytes = try Self.read(path)
        let slots = (0..<2).compactMap { index in
            bytes.withUnsafeBytes {
                MarkSlot(UnsafeRawBufferPointer(rebasing: $0[index * MarkSlot.size..<(index + 1) * MarkSlot.size]))
            }
        }
        let newest = slots.max { $0.turn < $1.turn }
        turn = newest?.turn ?? 0
        mark = newest?.mark ?? Mark()
        found = newest.map { .mark($0.mark) } ?? (bytes.contains { $0 != 0 } ? .unreadable : .nothing)
    }

    deinit {
        if let memory { munmap(memory, Self.size) }
    }

    /// The beginning of the file, padded with zeros.
    private static func read(_ path: String) throws(StoreError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: MarkSlot.size * 2)
        guard let file = Descriptor(open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)) else {
            if errno == ENOENT { return bytes }
            throw .system(errno, "\(path) cannot be opened")
        }
        guard pread(file.number, &bytes, bytes.count, 0) >= 0 else { throw .system(errno, "\(path) cannot be read") }
        return bytes
    }

    /// Allocates the mark's page on disk and maps it, so that storing cannot fail later. False if that fails: then there is no mark.
    func prepare() -> Bool {
        guard let file = Descriptor(open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)),
            Self.fill(file.number)
        else { return false }
        let mapped = mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_SHARED, file.number, 0)
        guard let mapped, mapped != MAP_FAILED else { return false }
        // A locked page is never read from disk again, so no read can fail.
        _ = mlock(mapped, Self.size)
        memory = mapped
        return true
    }

    /// Allocates the page on disk: storing into a mapped hole of a full disk raises a signal.
    private static func fill(_ descriptor: Int32) -> Bool {
        guard let status = FileStatus(of: descriptor), status.isFile else { return false }
        guard status.st_size < size else { return true }
        return posix_fallocate(descriptor, 0, off_t(size)) == 0
    }

    /// Writes one slot; the other still has the mark before.
    func set(_ mark: Mark) {
        guard mark != self.mark || turn == 0 else { return }
        self.mark = mark
        turn += 1
        guard let memory else { return }
        let slot = UnsafeMutableRawBufferPointer(
            start: memory + Int(turn % 2) * MarkSlot.size, count: MarkSlot.size)
        MarkSlot(turn: turn, mark).write(to: slot)
    }

    /// Changes some fields of the mark.
    func change(_ change: (inout Mark) -> Void) {
        var mark = mark
        change(&mark)
        set(mark)
    }
}

// MARK: - Acknowledged changes

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
    /// The last complete checkpoint: `gamed.db` alone is the whole database as of it. Nil if it is not known, and while
    /// a checkpoint runs: an interrupted one leaves pages of different ages in the file, and SQLite's own check may not notice.
    var checkpoint: CompleteCheckpoint?

    /// From twelve hexadecimal digits.
    static func boot(_ text: String) -> UInt64 { UInt64(text, radix: 16) ?? 0 }
}

/// A checkpoint that copied all pages of a write-ahead log into the database.
struct CompleteCheckpoint: Equatable {
    /// The second salt of the log's header, a random number; 0 without a log.
    let salt: UInt32
    /// The frames of the log.
    let frames: UInt32
}

extension CompleteCheckpoint {
    /// From the mark's flags, whose lowest two bits are others. No log has 2^29 frames, which are 2 TiB.
    fileprivate init?(flags: UInt64) {
        guard flags & 4 == 4 else { return nil }
        self.init(salt: UInt32(truncatingIfNeeded: flags >> 32), frames: UInt32(truncatingIfNeeded: flags) >> 3)
    }

    fileprivate var flags: UInt64 { UInt64(salt) << 32 | UInt64(frames) << 3 & 0xFFFF_FFF8 | 4 }
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
            hasAccepted: words[5] & 2 == 2, checkpoint: CompleteCheckpoint(flags: words[5]))
    }

    func write(to bytes: UnsafeMutableRawBufferPointer) {
        let flags: UInt64 =
            (mark.durability == .always ? 1 : 0) | (mark.hasAccepted ? 2 : 0) | (mark.checkpoint?.flags ?? 0)
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
