// Scans SQLite's write-ahead log without SQLite, which silently stops at the first bad frame. The scan finds out what follows it.
// (https://www.sqlite.org/fileformat2.html, section 4)

import Glibc
import Posix
import Store

/// Takes a log frame by frame, from beginning to end.
struct LogScan {
    static let headerSize = 32
    static let frameHeaderSize = 24

    let pageSize: Int
    /// Whether the header is valid. If not, SQLite takes the log for empty.
    let hasHeader: Bool
    private let salts: UInt64
    private let isBigEndian: Bool

    /// Valid frames in sequence from the header, and how many of them are committed.
    private(set) var goodFrames = 0
    private(set) var committedFrames = 0
    /// The first frame that breaks the sequence.
    private(set) var brokenFrame: Int?
    /// Frames after it that belong to this log all the same, and the complete transactions among them.
    private(set) var framesBehind = 0
    private(set) var transactionsBehind = 0
    /// Frames up to the last one with the header's salts, valid or not.
    private(set) var ownFrames = 0

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

    /// The second salt, which is random in each log.
    var salt: UInt32 { UInt32(truncatingIfNeeded: salts) }

    /// Takes the next whole frame.
    mutating func append(_ frame: UnsafeRawBufferPointer) {
        let (found, isCommit) = (frame.bigEndianPair(8), frame.bigEndian(4) != 0)
        let stored = LogChecksum(frame.bigEndian(16), frame.bigEndian(20))
        if brokenFrame == nil {
            if found == salts, follows(sum, frame, stored, isBigEndian) {
                sum = stored
                goodFrames += 1
                if isCommit { committedFrames = goodFrames }
            } else {
                brokenFrame = frames
            }
        } else if let latest, latest.salts == found, isOfThisLog(found), followsInEitherOrder(latest.sum, frame, stored) {
            framesBehind += 1
            if isCommit { transactionsBehind += 1 }
        }
        latest = (found, stored)
        frames += 1
        if found == salts { ownFrames = frames }
    }

    /// Frames left over from before the last checkpoint have other salts. Without the header they cannot be distinguished.
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

// MARK: - The write-ahead log's file, before SQLite writes to it.

/// A scan of the file.
struct LogFile {
    /// In bytes.
    let size: Int
    let scan: LogScan

    private static let framesAtOnce = 64

    /// Scans the file; nil if it is missing, empty, or shorter than its header, or if it is another log than that of
    /// `checkpoint`. Nothing is written.
    static func load(
        at path: String, pageSize: Int, of checkpoint: CompleteCheckpoint? = nil
    ) throws(StoreError) -> LogFile? {
        // SQLite has no locks on this file that closing a descriptor could release.
        guard let file = Descriptor(open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)) else {
            if errno == ENOENT { return nil }
            throw .system(errno, "\(path) cannot be opened")
        }
        guard let status = FileStatus(of: file.number) else { throw .system(errno, "\(path) cannot be checked") }
        guard status.st_size > 0, let scan = try scan(file.number, path, pageSize, checkpoint) else { return nil }
        return LogFile(size: Int(status.st_size), scan: scan)
    }

    private static func scan(
        _ descriptor: Int32, _ path: String, _ pageSize: Int, _ checkpoint: CompleteCheckpoint?
    ) throws(StoreError) -> LogScan? {
        let most = (LogScan.frameHeaderSize + pageSize) * framesAtOnce
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: most, alignment: 16)
        defer { buffer.deallocate() }
        guard try read(descriptor, path, buffer, LogScan.headerSize, at: 0) == LogScan.headerSize else { return nil }
        var scan = LogScan(UnsafeRawBufferPointer(rebasing: buffer[..<LogScan.headerSize]), pageSize: pageSize)
        if let checkpoint, scan.salt != checkpoint.salt { return nil }
        var offset = LogScan.headerSize
        while case let count = try read(descriptor, path, buffer, most, at: offset), count >= scan.frameSize {
            for start in stride(from: 0, through: count - scan.frameSize, by: scan.frameSize) {
                scan.append(UnsafeRawBufferPointer(rebasing: buffer[start..<start + scan.frameSize]))
            }
            offset += count / scan.frameSize * scan.frameSize
        }
        return scan
    }

    /// Reads the whole count, less only at the end of the file.
    private static func read(
        _ descriptor: Int32, _ path: String, _ buffer: UnsafeMutableRawBufferPointer, _ count: Int, at offset: Int
    ) throws(StoreError) -> Int {
        var done = 0
        while done < count {
            let result = pread(descriptor, buffer.baseAddress.map { $0 + done }, count - done, off_t(offset + done))
            guard result >= 0 else {
                if errno == EINTR { continue }
                throw .system(errno, "\(path) cannot be read")
            }
            if result == 0 { break }
            done += result
        }
        return done
    }

    /// Whether complete transactions follow after the point where SQLite stops.
    var hasTransactionsBehind: Bool { scan.transactionsBehind > 0 }

    /// Whether frames are missing that were there at the checkpoint.
    func lacksFrames(of checkpoint: CompleteCheckpoint) -> Bool {
        isLog(of: checkpoint) && scan.committedFrames < Int(checkpoint.frames)
    }

    /// Whether the checkpoint copied all of its changes into the database.
    func isCovered(by checkpoint: CompleteCheckpoint) -> Bool {
        isLog(of: checkpoint) && scan.ownFrames <= Int(checkpoint.frames)
    }

    private func isLog(of checkpoint: CompleteCheckpoint) -> Bool { scan.hasHeader && scan.salt == checkpoint.salt }

    /// Where the log breaks off, and how much follows; nil if nothing does.
    var breakage: String? {
        guard let frame = scan.brokenFrame, scan.framesBehind > 0 else { return nil }
        let start = LogScan.headerSize + frame * scan.frameSize
        let what = scan.hasHeader ? "breaks off at byte \(start) of \(size)" : "has a damaged header, and \(size) bytes"
        let behind = scan.transactionsBehind == 1 ? "1 transaction" : "\(scan.transactionsBehind) transactions"
        return "its -wal \(what); behind that there are \(behind) in \(scan.framesBehind * scan.frameSize) bytes"
    }
}
