// Encoded replies, waiting to be sent.

import Memory
import Texts

/// Encodes replies in the client's version of the protocol; sent bytes are consumed from the front. An aggregate is a header,
/// followed by as many replies as it announces.
public final class ReplyBuffer {
    // Exclusivity is unchecked: no access outlasts a call, and each check would cost as much as a short reply.
    @exclusivity(unchecked) public var protocolVersion: ProtocolVersion
    @exclusivity(unchecked) var queue: ByteQueue

    /// When empty, it keeps at most `kept` bytes of memory.
    public init(protocolVersion: ProtocolVersion = .resp2, keeping kept: Int = 64 * 1024) {
        self.protocolVersion = protocolVersion
        queue = ByteQueue(keeping: kept)
    }

    // MARK: Sending

    /// Bytes not sent yet. The pointer is valid until the buffer changes.
    public var unsent: UnsafeRawBufferPointer { queue.bytes }

    public var count: Int { queue.count }

    public var isEmpty: Bool { queue.isEmpty }

    /// How much memory it holds, in bytes.
    public var footprint: Int { queue.footprint }

    /// Removes sent bytes from the front.
    public func consume(_ count: Int) { queue.consume(count) }

    /// Removes bytes from the back, which are not sent.
    public func removeLast(_ count: Int) { queue.removeLast(count) }

    /// Drops everything unsent.
    public func removeAll() { queue.removeAll() }

    /// Releases an idle buffer's memory.
    public func releaseMemory() { queue.releaseMemory() }

    // MARK: Already encoded

    public func append(_ reply: EncodedReply) {
        reply.bytes.withUnsafeBytes { queue.append($0) }
    }

    public func append(preencoded reply: StaticString) {
        reply.withUTF8Buffer { queue.append(UnsafeRawBufferPointer($0)) }
    }

    public func append(preencoded bytes: UnsafeRawBufferPointer) {
        queue.append(bytes)
    }

    // MARK: Lines

    /// `+text`. Line ends in it become spaces.
    public func append(simple text: String) {
        queue.append(UInt8(ascii: "+"))
        queue.append(lineOf: text)
        queue.appendLineEnd()
    }

    /// The same without allocating a String.
    public func append(simple bytes: UnsafeRawBufferPointer) {
        queue.append(line: UInt8(ascii: "+"), bytes)
    }

    /// The longest error, in bytes.
    package static let maxErrorLength = 1_000

    /// `-CODE text`. Line ends become spaces, and a long text is cut.
    public func append(error code: ErrorCode, _ text: String) {
        queue.append(.minus)
        queue.append(lineOf: code.text)
        queue.append(.space)
        queue.append(lineOf: text.utf8.count > Self.maxErrorLength ? text.cut(to: Self.maxErrorLength) : text)
        queue.appendLineEnd()
    }

    public func append(integer: Int) {
        queue.append(header: UInt8(ascii: ":"), integer)
    }

    // MARK: Bulks

    public func append(bulk text: String) { queue.append(bulk: text) }

    public func append(bulk bytes: UnsafeRawBufferPointer) { queue.append(bulk: bytes) }
}

extension String {
    /// As a simple string or an error has it: line ends are spaces.
    package var asLine: String {
        let isLine = utf8.allSatisfy { $0 != .carriageReturn && $0 != .lineFeed }
        return isLine
            ? self : String(decoding: utf8.map { $0 == .carriageReturn || $0 == .lineFeed ? .space : $0 }, as: UTF8.self)
    }
}

// MARK: - A map of a reply, which counts its own fields

/// Appends a map field by field, and counts them. Until it ends, nothing else may be appended to the reply.
public struct MapWriter: ~Copyable {
    private let reply: ReplyBuffer
    private let start: Int
    private var count = 0

    /// Most maps have as many fields as fit into this header; any other moves by a byte in the end.
    init(_ reply: ReplyBuffer) {
        (self.reply, start) = (reply, reply.count)
        reply.append(mapOf: 9)
    }

    public mutating func field(_ name: String, _ value: some ReplyValue) {
        reply.append(bulk: name)
        value.write(to: reply)
        count += 1
    }

    public consuming func end() {
        let size = reply.isResp3 ? 1 : 2
        reply.queue.replace(header: 9 * size, at: start, with: count * size)
    }
}

extension ReplyBuffer {
    public func beginMap() -> MapWriter { MapWriter(self) }
}

// MARK: - Replies that are written once and sent many times.

/// An encoded reply that is the same in both versions of the protocol.
public struct EncodedReply: Sendable {
    let bytes: [UInt8]

    /// A simple string, `+text`. Line ends in it become spaces.
    public init(simple text: String) {
        let buffer = ReplyBuffer()
        buffer.append(simple: text)
        bytes = Array(buffer.unsent)
    }

    /// An error, `-CODE text`. Line ends in it become spaces.
    public init(error code: ErrorCode, _ text: String) {
        let buffer = ReplyBuffer()
        buffer.append(error: code, text)
        bytes = Array(buffer.unsent)
    }

    public static let ok = EncodedReply(simple: "OK")
    public static let pong = EncodedReply(simple: "PONG")
}
