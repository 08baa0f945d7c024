// Write-ahead logs as SQLite writes them, made here byte by byte: good frames, frames after a bad one, and frames left over from before
// a restart of the log.

import Foundation
import Testing
@testable import SQLiteStore

/// Makes a log, in either order of bytes.
private struct LogMaker {
    private(set) var bytes: [UInt8] = []
    private let isBigEndian: Bool
    private let salts: UInt64
    private var sum: (UInt32, UInt32) = (0, 0)

    static let pageSize = 512
    static let frameSize = pageSize + 24

    init(isBigEndian: Bool, salts: UInt64 = 0x0123_4567_89AB_CDEF) {
        self.isBigEndian = isBigEndian
        self.salts = salts
        var header: [UInt8] = []
        for number: UInt32 in [isBigEndian ? 0x377F_0683 : 0x377F_0682, 3_007_000, UInt32(Self.pageSize), 0] {
            header += Self.big(number)
        }
        header += Self.big(UInt32(salts >> 32)) + Self.big(UInt32(truncatingIfNeeded: salts))
        add(header)
        bytes = header + Self.big(sum.0) + Self.big(sum.1)
    }

    /// Appends a transaction of `pages` pages.
    mutating func commit(_ pages: Int) {
        for page in 1...pages {
            let front = Self.big(UInt32(page)) + Self.big(page == pages ? 9 : 0)
            let data = (0..<Self.pageSize).map { UInt8(truncatingIfNeeded: $0 &* page &+ bytes.count) }
            add(front)
            add(data)
            bytes += front + Self.big(UInt32(salts >> 32)) + Self.big(UInt32(truncatingIfNeeded: salts))
            bytes += Self.big(sum.0) + Self.big(sum.1) + data
        }
    }

    private mutating func add(_ bytes: [UInt8]) {
        for offset in stride(from: 0, to: bytes.count, by: 8) {
            sum.0 = sum.0 &+ word(bytes[offset..<offset + 4]) &+ sum.1
            sum.1 = sum.1 &+ word(bytes[offset + 4..<offset + 8]) &+ sum.0
        }
    }

    private func word(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        (isBigEndian ? Array(bytes) : bytes.reversed()).reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static func big(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}

@Suite struct `A write-ahead log` {
    private func scan(_ bytes: [UInt8]) -> LogScan {
        bytes.withUnsafeBytes { bytes in
            var scan = LogScan(UnsafeRawBufferPointer(rebasing: bytes[..<32]), pageSize: LogMaker.pageSize)
            for start in stride(from: 32, through: bytes.count - LogMaker.frameSize, by: LogMaker.frameSize) {
                scan.append(UnsafeRawBufferPointer(rebasing: bytes[start..<start + LogMaker.frameSize]))
            }
            return scan
        }
    }

    private func log(_ isBigEndian: Bool) -> [UInt8] {
        var maker = LogMaker(isBigEndian: isBigEndian)
        for pages in [3, 1, 2, 4] { maker.commit(pages) }
        return maker.bytes
    }

    @Test(arguments: [false, true])
    func `An undamaged write-ahead log is valid to its last commit`(isBigEndian: Bool) {
        let scan = scan(log(isBigEndian))
        #expect(scan.hasHeader && scan.brokenFrame == nil)
        #expect([scan.goodFrames, scan.committedFrames, scan.framesBehind] as [Int] == [10, 10, 0])
        let torn = self.scan(Array(log(isBigEndian).dropLast(LogMaker.frameSize + 5)))
        #expect(torn.brokenFrame == nil)
        #expect([torn.goodFrames, torn.committedFrames] as [Int] == [8, 6])
    }

    /// The frame after one with a bad checksum cannot be verified.
    @Test(arguments: [false, true])
    func `A scan of a log counts the frames behind a changed byte`(isBigEndian: Bool) {
        let whole = log(isBigEndian)
        for frame in 0..<10 {
            for offset in [0, 5, 9, 17, 23, 24, 300, 535] {
                var broken = whole
                broken[32 + frame * LogMaker.frameSize + offset] ^= 0x20
                let scan = scan(broken)
                #expect(scan.brokenFrame == frame && scan.goodFrames == frame, "frame \(frame), byte \(offset)")
                let isSum = offset == 17 || offset == 23
                let isSalt = offset == 9
                #expect(scan.framesBehind == max(0, 9 - frame - (isSum || isSalt ? 1 : 0)), "frame \(frame), byte \(offset)")
            }
        }
        var broken = whole
        broken[32 + LogMaker.frameSize + 100] = 0xEE
        #expect(scan(broken).transactionsBehind == 4)
        #expect(scan(broken).committedFrames == 0 && scan(broken).ownFrames == 10)
        #expect(scan(broken).salt == 0x89AB_CDEF)
    }

    @Test(arguments: [false, true])
    func `A scan of a log counts the frames behind a damaged header`(isBigEndian: Bool) {
        for offset in 0..<32 {
            var broken = log(isBigEndian)
            broken[offset] ^= 0x41
            let scan = scan(broken)
            #expect(!scan.hasHeader && scan.brokenFrame == 0 && scan.committedFrames == 0, "byte \(offset)")
            #expect(scan.framesBehind == 9 && scan.transactionsBehind == 4, "byte \(offset)")
        }
        #expect(scan([UInt8](repeating: 0, count: 10_000)).framesBehind == 0)
    }

    @Test func `A scan of a log ignores frames from before the log's restart`() {
        let earlier = log(false)
        var maker = LogMaker(isBigEndian: false, salts: 0x0123_4568_1111_1111)
        maker.commit(2)
        let scan = scan(maker.bytes + earlier.dropFirst(maker.bytes.count))
        #expect([scan.goodFrames, scan.committedFrames, scan.framesBehind, scan.transactionsBehind] as [Int] == [2, 2, 0, 0])
        #expect(scan.brokenFrame == 2 && scan.ownFrames == 2)
    }
}
