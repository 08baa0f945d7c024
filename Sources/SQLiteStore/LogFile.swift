// The write-ahead log's file, before SQLite writes to it.

import Glibc
import Store

/// A scan of the file.
struct LogFile {
    /// In bytes.
    let size: Int
    let scan: LogScan?

    private static let framesAtOnce = 64

    /// Scans the file; nil if it is missing or empty. Nothing is written.
    static func load(at path: String, pageSize: Int) throws(StoreError) -> LogFile? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw .system(errno, "\(path) cannot be opened")
        }
        // SQLite has no locks on this file that closing a descriptor could give up.
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(errno, "\(path) cannot be looked at") }
        guard status.st_size > 0 else { return nil }
        return LogFile(size: Int(status.st_size), scan: try scan(descriptor, path, pageSize))
    }

    private static func scan(_ descriptor: Int32, _ path: String, _ pageSize: Int) throws(StoreError) -> LogScan? {
        let most = (LogScan.frameHeaderSize + pageSize) * framesAtOnce
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: most, alignment: 16)
        defer { buffer.deallocate() }
        guard try read(descriptor, path, buffer, LogScan.headerSize, at: 0) == LogScan.headerSize else { return nil }
        var scan = LogScan(UnsafeRawBufferPointer(rebasing: buffer[..<LogScan.headerSize]), pageSize: pageSize)
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
    var hasTransactionsBehind: Bool { (scan?.transactionsBehind ?? 0) > 0 }

    /// Where the log breaks off, and how much follows; nil if nothing does.
    var breakage: String? {
        guard let scan, let frame = scan.brokenFrame, scan.framesBehind > 0 else { return nil }
        let start = LogScan.headerSize + frame * scan.frameSize
        let what = scan.hasHeader ? "breaks off at byte \(start) of \(size)" : "has a damaged header, and \(size) bytes"
        let behind = scan.transactionsBehind == 1 ? "1 transaction" : "\(scan.transactionsBehind) transactions"
        return "its -wal \(what); behind that there are \(behind) in \(scan.framesBehind * scan.frameSize) bytes"
    }
}
