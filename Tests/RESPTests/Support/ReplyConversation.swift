// Reads a server's bytes that arrive in any pieces.

import RESP
import Testing

struct ReplyTranscript: Equatable {
    var replies: [Reply] = []
    var error: ReplyError?
    /// Bytes of a reply that is not complete; none after an error.
    var unread = 0

    /// Each call finds the bytes in another place, and none behind them.
    static func read(_ pieces: some Sequence<some Sequence<UInt8>>, limits: ReplyLimits = ReplyLimits()) -> ReplyTranscript {
        var transcript = ReplyTranscript()
        var reader = ReplyReader(limits: limits)
        var input: [UInt8] = []
        do throws(ReplyError) {
            for piece in pieces {
                input = input + piece
                while let (reply, length) = try next(&reader, input) {
                    transcript.replies.append(reply)
                    input = Array(input[length...])
                }
            }
        } catch {
            transcript.error = error
        }
        transcript.unread = transcript.error == nil ? input.count : 0
        return transcript
    }

    private static func next(_ reader: inout ReplyReader, _ input: [UInt8]) throws(ReplyError) -> (reply: Reply, length: Int)? {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: input.count, alignment: 1)
        defer { bytes.deallocate() }
        bytes.copyBytes(from: input)
        return try reader.next(in: UnsafeRawBufferPointer(bytes))
    }
}

/// Reads the wire whole, byte by byte, and many times in one buffer: it must be these replies.
func expect(_ wire: String, reads replies: Reply..., sourceLocation: SourceLocation = #_sourceLocation) {
    let bytes = Array(wire.utf8)
    let once = ReplyTranscript(replies: replies)
    #expect(ReplyTranscript.read([bytes]) == once, "whole", sourceLocation: sourceLocation)
    #expect(ReplyTranscript.read(bytes.map { [$0] }) == once, "byte by byte", sourceLocation: sourceLocation)
    let coalesced = Array(repeating: bytes, count: 30).flatMap { $0 }
    let many = ReplyTranscript(replies: Array(repeating: replies, count: 30).flatMap { $0 })
    #expect(ReplyTranscript.read([coalesced]) == many, "many at once", sourceLocation: sourceLocation)
}

/// Reads the wire whole, byte by byte, and behind other replies: it must end in this error.
func expect(_ wire: String, throws error: ReplyError, sourceLocation: SourceLocation = #_sourceLocation) {
    let bytes = Array(wire.utf8)
    let coalesced = Array("+OK\r\n:1\r\n".utf8) + bytes
    #expect(ReplyTranscript.read([bytes]).error == error, "whole", sourceLocation: sourceLocation)
    #expect(ReplyTranscript.read(bytes.map { [$0] }).error == error, "byte by byte", sourceLocation: sourceLocation)
    let behind = ReplyTranscript.read([coalesced])
    #expect(behind.error == error && behind.replies.count == 2, "behind others", sourceLocation: sourceLocation)
}
