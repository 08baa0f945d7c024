// SQLite's write-ahead log, read without SQLite: it stops at the first frame that is not as it should be, and says nothing. Here it is
// looked at what stands behind it. (https://www.sqlite.org/fileformat2.html, section 4)

/// Goes over a log's bytes from its beginning to its end, in pieces.
struct LogScan {
    static let headerSize = 32
    static let frameHeaderSize = 24

    let pageSize: Int
    /// Whether the header is as it should be. If not, SQLite takes the whole log for empty.
    let hasHeader: Bool
    private let salts: UInt64
    private let isBigEndian: Bool

    /// Frames that follow from the header one by one, how many of them SQLite takes, and in how many transactions.
    private(set) var goodFrames = 0
    private(set) var committedFrames = 0
    private(set) var transactions = 0
    /// The number of the first frame that does not follow.
    private(set) var brokenFrame: Int?
    /// Frames behind it that are of this log all the same, and the transactions among them that are complete.
    private(set) var framesBehind = 0
    private(set) var transactionsBehind = 0

    private var frames = 0
    private var sum: LogChecksum
    private var latest: (salts: UInt64, sum: LogChecksum)?

    /// Begins with the log's header; where that cannot be trusted, `pageSize` is the database's.
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

    /// The next frame, whole.
    mutating func take(_ frame: UnsafeRawBufferPointer) {
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

    /// What an earlier round has left behind has other salts. Without the header, nobody knows what is earlier.
    private func isOfThisLog(_ found: UInt64) -> Bool { !hasHeader || found == salts }

    private func followsInEitherOrder(_ before: LogChecksum, _ frame: UnsafeRawBufferPointer, _ stored: LogChecksum) -> Bool {
        if hasHeader { return follows(before, frame, stored, isBigEndian) }
        return follows(before, frame, stored, false) || follows(before, frame, stored, true)
    }

    private func follows(
        _ before: LogChecksum, _ frame: UnsafeRawBufferPointer, _ stored: LogChecksum, _ isBigEndian: Bool
    ) -> Bool {
        // There is no page 0; and zeros follow from zeros.
        guard frame.bigEndian(0) != 0 else { return false }
        var sum = before
        sum.add(UnsafeRawBufferPointer(rebasing: frame[..<8]), isBigEndian: isBigEndian)
        sum.add(UnsafeRawBufferPointer(rebasing: frame[Self.frameHeaderSize...]), isBigEndian: isBigEndian)
        return sum == stored
    }
}

/// SQLite's sum over a log: each frame's goes on from that of the frame before it.
private struct LogChecksum: Equatable {
    private var first: UInt32
    private var second: UInt32

    init(_ first: UInt32 = 0, _ second: UInt32 = 0) {
        (self.first, self.second) = (first, second)
    }

    /// As many bytes as eight goes into.
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
