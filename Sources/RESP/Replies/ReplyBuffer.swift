// What a connection has to tell its client, in the order in which it is to be sent.

import Texts

/// Replies written in the client's version of the protocol. They are taken from the front, as much at a time as can be sent; an
/// aggregate is its header, followed by as many replies as that announces.
public final class ReplyBuffer {
    // No access to these outlasts a call, so none can overlap another; to check that at each would cost as much as a short reply.
    @exclusivity(unchecked) public var protocolVersion: ProtocolVersion
    @exclusivity(unchecked) var queue: ByteQueue

    /// Once all is sent, it holds on to `kept` bytes of memory at most.
    public init(protocolVersion: ProtocolVersion = .resp2, keeping kept: Int = 64 * 1024) {
        self.protocolVersion = protocolVersion
        queue = ByteQueue(keeping: kept)
    }

    // MARK: Sending

    /// What has not been sent yet. The pointer is good until the buffer changes.
    public var unsent: UnsafeRawBufferPointer { queue.bytes }

    public var count: Int { queue.count }

    public var isEmpty: Bool { queue.isEmpty }

    /// How much memory it holds, in bytes.
    public var footprint: Int { queue.footprint }

    /// The first bytes have been sent.
    public func consume(_ count: Int) { queue.consume(count) }

    /// The last bytes will not be sent.
    public func takeBack(_ count: Int) { queue.takeBack(count) }

    /// Drops what has not been sent.
    public func removeAll() { queue.removeAll() }

    /// For a connection that rests: it holds no memory until it is used again.
    public func releaseMemory() { queue.releaseMemory() }

    // MARK: What is encoded already

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

    /// The same, for text that is not worth making a string of.
    public func append(simple bytes: UnsafeRawBufferPointer) {
        queue.append(line: UInt8(ascii: "+"), bytes)
    }

    /// What an error may say, in bytes: enough for people, and no more than a client that is refused a million times can bear.
    package static let longestError = 1_000

    /// `-CODE text`. Line ends in it become spaces, and a text that quotes too much is cut.
    public func append(error code: String, _ text: String) {
        queue.append(.minus)
        queue.append(lineOf: code)
        queue.append(.space)
        queue.append(lineOf: text.utf8.count > Self.longestError ? text.cut(to: Self.longestError) : text)
        queue.appendLineEnd()
    }

    public func append(integer: Int) {
        queue.append(header: UInt8(ascii: ":"), integer)
    }

    // MARK: Bulks

    public func append(bulk text: String) { queue.append(bulk: text) }

    public func append(bulkOrNull text: String?) {
        if let text { append(bulk: text) } else { appendNull() }
    }

    public func append(bulk bytes: [UInt8]) { bytes.withUnsafeBytes { queue.append(bulk: $0) } }

    public func append(bulk bytes: UnsafeRawBufferPointer) { queue.append(bulk: bytes) }

    public func append(bulk argument: Argument) { queue.append(bulk: argument.bytes) }
}
