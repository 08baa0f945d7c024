// Scans SQLite's write-ahead log without SQLite, which silently stops at the first bad frame. The scan finds out what follows it.
// (https://www.sqlite.org/fileformat2.html, section 4)

/// Takes a log frame by frame, from beginning to end.
struct LogScan {
    static let headerSize = 32
    static let frameHeaderSize = 24

    let pageSize: Int
    /// Whether the header is valid. If not, SQLite takes the log for empty.
    let hasHeader: Bool
    private let salts: UInt64
    private let isBigEndian: Bool

    /// Valid frames in sequence from the header, how many of them are committed, and in how many transactions.
    private(set) var goodFrames = 0
    private(set) var committedFrames = 0
    private(set) var transactions = 0
    /// The first frame that breaks the sequence.
    private(set) var brokenFrame: Int?
    /// Frames after it that belong to this log all the same, and the complete transactions among them.
    private(set) var framesBehind = 0
    private(set) var transactionsBehind = 0

    private var frames = 0
    private var sum: LogChecksum
    private var latest: (salts: UInt64, sum: LogChecksum)?

    /// `pageSize` is the database's, for a header that cannot be trusted.
    init(_ header: UnsafeRawBufferPointer, pageSize: Int) {
        let magic = header.bigEndian(0)
        isBigEndian = magic & 1 == 1
        var sum = LogChecksum()
        sum.add(UnsafeRawBufferPointer(rebasing: header[..<24]), isBigEndian: isBigEndian)
        let stored = LogChecksum(header.bigEndian(24), header.bigEndian(28))
        hasHeader =
            magic & ~1 == 0x377F_0682 && header.bigEndian(4) == 3_007_000 && Int(header.bigEndian(8)) == pageSize
            && sum == stored
        self.sum = stored
        self.pageSize = pageSize
        salts = header.bigEndianPair(16)
        if !hasHeader { brokenFrame = 0 }
    }

    var frameSize: Int { Self.frameHeaderSize + pageSize }

    /// Takes the next whole frame.
    mutating func append(_ frame: UnsafeRawBufferPointer) {
        let (found, isCommit) = (frame.bigEndianPair(8), frame.bigEndian(4) != 0)
        let stored = LogChecksum(frame.bigEndian(16), frame.bigEndian(20))
        if brokenFrame == nil {
            if found == salts, follows(sum, frame, stored, isBigEndian) {
                sum = stored
                goodFrames += 1
                if isCommit { (committedFrames, transactions) = (goodFrames, transactions + 1) }
            } else {
                brokenFrame = frames
            }
        } else if let latest, latest.salts == found, isOfThisLog(found), followsInEitherOrder(latest.sum, frame, stored) {
            framesBehind += 1
            if isCommit { transactionsBehind += 1 }
        }
        latest = (found, stored)
        frames += 1
    }

    /// Frames left over from before the last checkpoint have other salts. Without the header they cannot be told apart.
    private func isOfThisLog(_ found: UInt64) -> Bool { !hasHeader || found == salts }

    private func followsInEitherOrder(_ before: LogChecksum, _ frame: UnsafeRawBufferPointer, _ stored: LogChecksum) -> Bool {
        if hasHeader { return follows(before, frame, stored, isBigEndian) }
        return follows(before, frame, stored, false) || follows(before, frame, stored, true)
    }

    private func follows(
        _ before: LogChecksum, _ frame: UnsafeRawBufferPointer, _ stored: LogChecksum, _ isBigEndian: Bool
    ) -> Bool {
        // There is no page 0, and a frame of zeros would have a valid sum after zeros.
        guard frame.bigEndian(0) != 0 else { return false }
        var sum = before
        sum.add(UnsafeRawBufferPointer(rebasing: frame[..<8]), isBigEndian: isBigEndian)
        sum.add(UnsafeRawBufferPointer(rebasing: frame[Self.frameHeaderSize...]), isBigEndian: isBigEndian)
        return sum == stored
    }
}

/// SQLite's running checksum over a log: each frame's continues from the one before.
private struct LogChecksum: Equatable {
    private var first: UInt32
    private var second: UInt32

    init(_ first: UInt32 = 0, _ second: UInt32 = 0) {
        (self.first, self.second) = (first, second)
    }

    /// The byte count must be a multiple of eight.
    mutating func add(_ bytes: UnsafeRawBufferPointer, isBigEndian: Bool) {
        var offset = 0
        while offset < bytes.count {
            let one = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            let other = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
            first = first &+ (isBigEndian ? one.bigEndian : one.littleEndian) &+ second
            second = second &+ (isBigEndian ? other.bigEndian : other.littleEndian) &+ first
            offset += 8
        }
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func bigEndian(_ offset: Int) -> UInt32 {
        UInt32(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    fileprivate func bigEndianPair(_ offset: Int) -> UInt64 {
        UInt64(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}
