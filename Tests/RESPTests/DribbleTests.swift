// Bytes that come in small pieces cost no more than those that come at once.

import RESP
import Testing

/// A request or a reply of which a little more is shown at a time, while what was shown before is spoiled: who looks at that again
/// is led astray.
private struct Dribble {
    private let original: [UInt8]
    private var shown: [UInt8]
    private(set) var bytesInSight = 0

    init(_ wire: [UInt8]) {
        original = wire
        shown = wire
    }

    /// Shows the wire piece by piece, and in the end all of it as it is. The first `kept` bytes, and the `lookBack` bytes before
    /// each piece, are not spoiled: the marker of a line may be looked at again, and the digits of a number that is not complete.
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
            try #require(length == nil, "what was read is read again at \(end)")
        }
        #expect(try original.withUnsafeBytes(read) == original.count)
    }
}

@Suite struct `Bytes that dribble in` {
    private static let bulk = Array(repeating: UInt8(ascii: "b"), count: 64 << 20)
    private static let exclamation = UInt8(ascii: "!")

    @Test func `The bytes of a bulk of 64 MiB that come a kilobyte at a time are scanned once at most`() throws {
        let wire = Array("*3\r\n$4\r\nSEND\r\n$\(Self.bulk.count)\r\n".utf8) + Self.bulk + Array("\r\n$1\r\na\r\n".utf8)
        var dribble = Dribble(wire)
        var parser = RequestParser()
        try dribble.play(pieces: 1024, spoiler: Self.exclamation) { try parser.next(in: $0) }
        #expect(dribble.bytesInSight < wire.count / 1024 * (1024 + 25))
        #expect(parser.arguments.map(\.count) == [4, Self.bulk.count, 1])
        #expect(parser.arguments.footprint < 1024)
    }

    @Test func `The bytes of 100,000 words that come a few at a time are scanned once at most`() throws {
        let wire = Array(("*100000\r\n" + String(repeating: "$1\r\na\r\n", count: 100_000)).utf8)
        var dribble = Dribble(wire)
        var parser = RequestParser()
        try dribble.play(pieces: 5, spoiler: Self.exclamation) { try parser.next(in: $0) }
        #expect(parser.arguments.count == 100_000)
        #expect(parser.arguments.allSatisfy { $0.count == 1 })
    }

    /// A line end in the part that was searched already would end the line too early.
    @Test(arguments: [("", "\n"), ("*", "\r"), ("*1\r\n$", "\r")])
    func `The bytes of a line that come one at a time are searched once`(start: String, lineEnd: Character) throws {
        let digits = Array(repeating: UInt8(ascii: "1"), count: 60_000)
        let spoiler = try #require(lineEnd.asciiValue)
        var dribble = Dribble(Array(start.utf8) + digits + Array("\r\n".utf8))
        var parser = RequestParser()
        func play() throws {
            try dribble.play(pieces: 1, spoiler: spoiler, keeping: start.utf8.count, lookBack: 1) { try parser.next(in: $0) }
        }
        if start.isEmpty {
            try play()
        } else {
            // So many digits are no number, which is known when the line is complete.
            #expect(throws: RequestError.self) { try play() }
        }
        #expect(dribble.bytesInSight > 2 * 59_000)
    }

    @Test func `The bytes of a reply that come in small pieces are scanned once at most`() throws {
        let bulk = Self.bulk[..<(4 << 20)]
        var dribble = Dribble(Array("*2\r\n$\(bulk.count)\r\n".utf8) + bulk + Array("\r\n:1\r\n".utf8))
        var reader = ReplyReader()
        try dribble.play(pieces: 1024, spoiler: Self.exclamation) { try reader.next(in: $0)?.length }

        dribble = Dribble(Array(("*50000\r\n" + String(repeating: "$1\r\na\r\n", count: 50_000)).utf8))
        try dribble.play(pieces: 5, spoiler: Self.exclamation) { try reader.next(in: $0)?.length }

        dribble = Dribble(Array("+\(String(repeating: "x", count: 60_000))\r\n".utf8))
        try dribble.play(pieces: 1, spoiler: 13, keeping: 1, lookBack: 1) { try reader.next(in: $0)?.length }
    }
}
