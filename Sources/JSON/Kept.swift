// What the history keeps of what came with an event: all of it, if that is not too much.

extension JSON {
    /// More of what came with one event is not kept.
    public static var mostKept: Int { 1_024 }

    /// The text as it is kept: all of it or, if it is too long, its beginning and a mark that makes it no JSON any more.
    public var kept: String { Self.kept(JSONWriter.bytes(of: self, atMost: Self.mostKept)) }

    public static func kept(_ text: String) -> String {
        text.utf8.count > mostKept ? kept(Array(text.utf8.prefix(mostKept + 1))) : text
    }

    /// More than `mostKept` bytes stand for a text that is longer than that.
    static func kept(_ bytes: [UInt8]) -> String {
        guard bytes.count > mostKept else { return String(decoding: bytes, as: UTF8.self) }
        var end = mostKept
        while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
        return String(decoding: bytes[..<end], as: UTF8.self) + "…"
    }
}
