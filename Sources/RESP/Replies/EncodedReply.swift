// Replies that are written once and sent many times.

/// A reply as it goes over the wire, in a form that is the same in both versions of the protocol.
public struct EncodedReply: Sendable {
    let bytes: [UInt8]

    /// A simple string, `+text`. Line ends in it become spaces.
    public init(simple text: String) {
        let buffer = ReplyBuffer()
        buffer.append(simple: text)
        bytes = Array(buffer.unsent)
    }

    /// An error, `-CODE text`. Line ends in it become spaces.
    public init(error code: String, _ text: String) {
        let buffer = ReplyBuffer()
        buffer.append(error: code, text)
        bytes = Array(buffer.unsent)
    }

    public static let ok = EncodedReply(simple: "OK")
    public static let pong = EncodedReply(simple: "PONG")
}
