// Replies that are written once and sent many times.

import Texts

/// An encoded reply that is the same in both versions of the protocol.
public struct EncodedReply: Sendable {
    let bytes: [UInt8]

    /// Its text, including the code of an error.
    package var text: String { String(decoding: bytes.dropFirst().dropLast(2), as: UTF8.self) }

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
