// Writers of replies, in the bytes of the protocol or in another form, and the values that they write.

import Memory
import Texts

/// Takes a reply value by value. An aggregate is its header, followed by as many values as that announces; a map is opened and closed.
public protocol ReplyWriter: AnyObject {
    func append(simple text: String)
    func append(simple bytes: UnsafeRawBufferPointer)
    func append(error code: ErrorCode, _ text: String)
    func append(integer: Int)
    func append(boolean: Bool)
    func append(bulk text: String)
    func append(bulk bytes: UnsafeRawBufferPointer)
    /// A text that is JSON.
    func append(json text: String)
    /// Text for people, to be shown as it is.
    func append(verbatim text: String)
    func appendNull()
    func append(_ reply: EncodedReply)

    func append(arrayOf count: Int)
    func append(setOf count: Int)
    func append(mapOf count: Int)
    /// As many values follow as a push, or as an array where this is a part of another reply.
    func append(pushOf count: Int)
    /// Begins a map; its fields are counted at its end. Returns its position.
    func openMap() -> Int
    func closeMap(of count: Int, at start: Int)
}

extension ReplyWriter {
    public func beginMap() -> MapWriter<Self> { MapWriter(self) }

    public func append(bulkOrNull text: String?) {
        if let text { append(bulk: text) } else { appendNull() }
    }
}

/// The reply of a command, as a value that any writer can write.
public protocol ReplyValue {
    func write(to reply: some ReplyWriter)
    /// The number of replies that EXEC counts for it.
    var replyCount: Int { get }
}

extension ReplyValue {
    public var replyCount: Int { 1 }
}

extension Int: ReplyValue {
    public func write(to reply: some ReplyWriter) { reply.append(integer: self) }
}

/// A bulk.
extension String: ReplyValue {
    public func write(to reply: some ReplyWriter) { reply.append(bulk: self) }
}

extension Optional: ReplyValue where Wrapped: ReplyValue {
    public func write(to reply: some ReplyWriter) {
        if let self { self.write(to: reply) } else { reply.appendNull() }
    }
}

extension Array: ReplyValue where Element: ReplyValue {
    public func write(to reply: some ReplyWriter) {
        reply.append(arrayOf: count)
        for element in self { element.write(to: reply) }
    }
}

extension EncodedReply: ReplyValue {
    public func write(to reply: some ReplyWriter) { reply.append(self) }
}

/// A simple string.
public struct SimpleText: ReplyValue {
    public let text: String

    public init(_ text: String) { self.text = text }

    public func write(to reply: some ReplyWriter) { reply.append(simple: text) }
}

/// A text for people, to be shown as it is.
public struct VerbatimText: ReplyValue {
    public let text: String

    public init(_ text: String) { self.text = text }

    public func write(to reply: some ReplyWriter) { reply.append(verbatim: text) }
}

/// A text that is JSON: a bulk on the wire.
public struct JSONReply: ReplyValue {
    public let text: String

    public init(_ text: String) { self.text = text }

    public func write(to reply: some ReplyWriter) { reply.append(json: text) }
}

extension ByteString: ReplyValue {
    package func write(to reply: some ReplyWriter) { withBytes { reply.append(bulk: $0) } }
}
