// Parses a client's bytes that arrive in any pieces.

import RESP
import Testing

/// The requests that were read, without empty ones, and the final error or the number of unread bytes.
struct Transcript: Equatable, CustomStringConvertible {
    var requests: [[[UInt8]]] = []
    var error: RequestError?
    /// Bytes of a request that is not complete; none after an error.
    var unread = 0

    var description: String {
        let shown = requests.map { $0.map { String(decoding: $0, as: UTF8.self) } }
        return "\(shown), \(unread) bytes unread, \(error.map { "\($0)" } ?? "no error")"
    }
}

/// A connection's input: pieces come in, requests are read. Each call finds the bytes in another place, and none behind them.
struct RequestConversation: ~Copyable {
    private var parser: RequestParser
    private var input: [UInt8] = []
    private(set) var transcript = Transcript()

    init(limits: RequestLimits = .authenticated) {
        parser = RequestParser(limits: limits)
    }

    mutating func receive(_ piece: some Sequence<UInt8>) {
        guard transcript.error == nil else { return }
        input += piece
        var consumed = 0
        do throws(RequestError) {
            while let length = try next(from: consumed) { consumed += length }
        } catch {
            transcript.error = error
        }
        input.removeFirst(consumed)
        transcript.unread = transcript.error == nil ? input.count : 0
    }

    private mutating func next(from start: Int) throws(RequestError) -> Int? {
        let unread = UnsafeMutableRawBufferPointer.allocate(byteCount: input.count - start, alignment: 1)
        defer { unread.deallocate() }
        unread.copyBytes(from: input[start...])
        guard let length = try parser.next(in: UnsafeRawBufferPointer(unread)) else {
            #expect(parser.arguments.isEmpty)
            return nil
        }
        precondition(length > 0 && length <= unread.count, "a request is as long as its bytes")
        if !parser.arguments.isEmpty { transcript.requests.append(parser.arguments.map { Array($0.bytes) }) }
        return length
    }

    static func transcript(of pieces: some Sequence<some Sequence<UInt8>>, limits: RequestLimits = .authenticated) -> Transcript
    {
        var conversation = RequestConversation(limits: limits)
        for piece in pieces { conversation.receive(piece) }
        return conversation.transcript
    }
}

/// Reads the wire whole, byte by byte, and many times in one buffer: it must be these requests.
func expect(
    _ wire: String, reads requests: [[String]], limits: RequestLimits = .authenticated,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let bytes = Array(wire.utf8)
    let words = requests.map { $0.map { Array($0.utf8) } }
    let once = Transcript(requests: words)
    #expect(RequestConversation.transcript(of: [bytes], limits: limits) == once, "whole", sourceLocation: sourceLocation)
    #expect(
        RequestConversation.transcript(of: bytes.map { [$0] }, limits: limits) == once, "byte by byte",
        sourceLocation: sourceLocation)
    let many = Transcript(requests: Array(repeating: words, count: 30).flatMap { $0 })
    let coalesced = Array(repeating: bytes, count: 30).flatMap { $0 }
    #expect(
        RequestConversation.transcript(of: [coalesced], limits: limits) == many, "many at once", sourceLocation: sourceLocation)
}

/// Reads the wire whole, byte by byte, and behind many good requests: it must end in this error.
func expect(
    _ wire: String, throws error: RequestError, limits: RequestLimits = .authenticated,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let bytes = Array(wire.utf8)
    let good = Array("*1\r\n$4\r\nPING\r\nPING\r\n".utf8)
    let coalesced = Array(repeating: good, count: 15).flatMap { $0 } + bytes
    let whole = RequestConversation.transcript(of: [bytes], limits: limits)
    let dribbled = RequestConversation.transcript(of: bytes.map { [$0] }, limits: limits)
    let behind = RequestConversation.transcript(of: [coalesced], limits: limits)
    #expect(whole.error == error && whole.requests.isEmpty, "whole", sourceLocation: sourceLocation)
    #expect(dribbled.error == error && dribbled.requests.isEmpty, "byte by byte", sourceLocation: sourceLocation)
    #expect(behind.error == error && behind.requests.count == 30, "behind others", sourceLocation: sourceLocation)
}

extension RequestParser {
    /// Parses the wire. The words are valid only during `look`.
    mutating func read(_ wire: some Sequence<UInt8>, look: (RequestArguments) -> Void = { _ in }) throws(RequestError) -> Int? {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: Array(wire).count, alignment: 1)
        defer { bytes.deallocate() }
        bytes.copyBytes(from: Array(wire))
        let length = try next(in: UnsafeRawBufferPointer(bytes))
        look(arguments)
        return length
    }
}
