// The values of replies.

import Memory
import Texts

/// The reply of a command, as a value.
public protocol ReplyValue {
    func write(to reply: ReplyBuffer)
    /// The number of replies that EXEC counts for it.
    var replyCount: Int { get }
}

extension ReplyValue {
    public var replyCount: Int { 1 }
}

extension Int: ReplyValue {
    public func write(to reply: ReplyBuffer) { reply.append(integer: self) }
}

/// A bulk.
extension String: ReplyValue {
    public func write(to reply: ReplyBuffer) { reply.append(bulk: self) }
}

extension Bool: ReplyValue {
    public func write(to reply: ReplyBuffer) { reply.append(boolean: self) }
}

extension Optional: ReplyValue where Wrapped: ReplyValue {
    public func write(to reply: ReplyBuffer) {
        if let self { self.write(to: reply) } else { reply.appendNull() }
    }
}

extension Array: ReplyValue where Element: ReplyValue {
    public func write(to reply: ReplyBuffer) {
        reply.append(arrayOf: count)
        for element in self { element.write(to: reply) }
    }
}

/// A map.
public protocol MapValue: ReplyValue {
    func write(to map: inout MapWriter)
}

extension MapValue {
    public func write(to reply: ReplyBuffer) {
        var map = reply.beginMap()
        write(to: &map)
        map.end()
    }
}

/// A map for each of some elements.
public struct Maps<Element>: ReplyValue {
    private let elements: [Element]
    private let write: (Element, inout MapWriter) -> Void

    public init(of elements: [Element], _ write: @escaping (Element, inout MapWriter) -> Void) {
        (self.elements, self.write) = (elements, write)
    }

    public func write(to reply: ReplyBuffer) {
        reply.append(arrayOf: elements.count)
        for element in elements {
            var map = reply.beginMap()
            write(element, &map)
            map.end()
        }
    }
}

extension EncodedReply: ReplyValue {
    public func write(to reply: ReplyBuffer) { reply.append(self) }
}

/// A simple string.
public struct SimpleText: ReplyValue {
    public let text: String

    public init(_ text: String) { self.text = text }

    public func write(to reply: ReplyBuffer) { reply.append(simple: text) }
}

/// A text for people, to be shown as it is.
public struct VerbatimText: ReplyValue {
    public let text: String

    public init(_ text: String) { self.text = text }

    public func write(to reply: ReplyBuffer) { reply.append(verbatim: text) }
}

extension ByteString: ReplyValue {
    package func write(to reply: ReplyBuffer) { withBytes { reply.append(bulk: $0) } }
}
