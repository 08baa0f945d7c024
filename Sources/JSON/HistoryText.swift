// A payload as the history stores it: its text, cut if it is too long.

extension JSON {
    /// Bytes of a payload in the history; longer ones are cut.
    public static var maxKept: Int { 1_024 }

    /// The text for the history: all of it or, if it is too long, its beginning and `…`, with which it is no longer JSON.
    public var kept: String { Self.kept(JSONWriter.bytes(of: self, atMost: Self.maxKept)) }

    public static func kept(_ text: String) -> String {
        text.utf8.count > maxKept ? kept(Array(text.utf8.prefix(maxKept + 1))) : text
    }

    /// How many bytes its text has, counted up to about so many.
    package func length(atMost most: Int) -> Int { JSONWriter.bytes(of: self, atMost: most).count }

    /// The same from bytes: more than `mostKept` of them stand for a text of any greater length.
    static func kept(_ bytes: [UInt8]) -> String {
        guard bytes.count > maxKept else { return String(decoding: bytes, as: UTF8.self) }
        var end = maxKept
        while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
        return String(decoding: bytes[..<end], as: UTF8.self) + "…"
    }
}
