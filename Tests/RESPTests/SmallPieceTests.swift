// Bytes that arrive in small pieces cost no more than bytes that arrive at once.

import RESP
import Testing

/// A request or reply that is shown piece by piece, while the bytes shown before are overwritten. A parser that reads those again gets
/// a wrong result.
private struct PiecewiseBytes {
    private let original: [UInt8]
    private var shown: [UInt8]
    private(set) var bytesInSight = 0

    init(_ wire: [UInt8]) {
        original = wire
        shown = wire
    }

    /// Shows the wire piece by piece, and in the end all of it as it is. The first `kept` bytes, and the `lookBack` bytes before
    /// each piece, are kept: the parser may read a line's marker again, and the digits of an incomplete number.
    mutating func play(
        pieces: Int, spoiler: UInt8, keeping kept: Int = 0, lookBack: Int = 24, read: (UnsafeRawBufferPointer) throws -> Int?
    ) throws {
        var spoiled = kept
        for end in stride(from: pieces, to: original.count, by: pieces) {
            let seen = max(spoiled, end - pieces - lookBack)
            for offset in spoiled..<seen { shown[offset] = spoiler }
            spoiled = seen
            bytesInSight += end - seen
            let length = try shown.withUnsafeBytes { try read(UnsafeRawBufferPointer(rebasing: $0[..<end])) }
            try #require(length == nil, "bytes were read again at \(end)")
        }
        #expect(try original.withUnsafeBytes(read) == original.count)
    }
}

@Suite struct `Bytes in small pieces` {
    private static let bulk = Array(repeating: UInt8(ascii: "b"), count: 64 << 20)
    private static let exclamation = UInt8(ascii: "!")

    @Test func `A bulk of 64 MiB that arrives in pieces of 1 KiB is scanned at most once`() throws {
        let wire = Array("*3\r\n$4\r\nSEND\r\n$\(Self.bulk.count)\r\n".utf8) + Self.bulk + Array("\r\n$1\r\na\r\n".utf8)
        var bytes = PiecewiseBytes(wire)
        var parser = RequestParser()
        try bytes.play(pieces: 1024, spoiler: Self.exclamation) { try parser.next(in: $0) }
        #expect(bytes.bytesInSight < wire.count / 1024 * (1024 + 25))
        #expect(parser.arguments.map(\.count) == [4, Self.bulk.count, 1])
        #expect(parser.arguments.footprint < 1024)
    }

    @Test func `A request of 100,000 words that arrives in pieces of 5 bytes is scanned at most once`() throws {
        let wire = Array(("*100000\r\n" + String(repeating: "$1\r\na\r\n", count: 100_000)).utf8)
        var bytes = PiecewiseBytes(wire)
        var parser = RequestParser()
        try bytes.play(pieces: 5, spoiler: Self.exclamation) { try parser.next(in: $0) }
        #expect(parser.arguments.count == 100_000)
        #expect(parser.arguments.allSatisfy { $0.count == 1 })
    }

    /// A line end in the part that was searched already would end the line too early.
    @Test(arguments: [("", "\n"), ("*", "\r"), ("*1\r\n$", "\r")])
    func `A line that arrives byte by byte is searched for its end only once`(start: String, lineEnd: Character) throws {
        let digits = Array(repeating: UInt8(ascii: "1"), count: 60_000)
        let spoiler = try #require(lineEnd.asciiValue)
        var bytes = PiecewiseBytes(Array(start.utf8) + digits + Array("\r\n".utf8))
        var parser = RequestParser()
        func play() throws {
            try bytes.play(pieces: 1, spoiler: spoiler, keeping: start.utf8.count, lookBack: 1) { try parser.next(in: $0) }
        }
        if start.isEmpty {
            try play()
        } else {
            // A number with so many digits is invalid, which the parser knows when the line is complete.
            #expect(throws: RequestError.self) { try play() }
        }
        #expect(bytes.bytesInSight > 2 * 59_000)
    }

    @Test func `A reply that arrives in small pieces is scanned at most once`() throws {
        let bulk = Self.bulk[..<(4 << 20)]
        var bytes = PiecewiseBytes(Array("*2\r\n$\(bulk.count)\r\n".utf8) + bulk + Array("\r\n:1\r\n".utf8))
        var reader = ReplyReader()
        try bytes.play(pieces: 1024, spoiler: Self.exclamation) { try reader.next(in: $0)?.length }

        bytes = PiecewiseBytes(Array(("*50000\r\n" + String(repeating: "$1\r\na\r\n", count: 50_000)).utf8))
        try bytes.play(pieces: 5, spoiler: Self.exclamation) { try reader.next(in: $0)?.length }

        bytes = PiecewiseBytes(Array("+\(String(repeating: "x", count: 60_000))\r\n".utf8))
        try bytes.play(pieces: 1, spoiler: 13, keeping: 1, lookBack: 1) { try reader.next(in: $0)?.length }
    }
}
