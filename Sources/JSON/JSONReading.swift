// Reading JSON (RFC 8259). Hand-written, since what a client sends is read on the path of an event, and Foundation's reader costs
// microseconds before its first byte. A text is scanned first, and nodes are made of what has been scanned.

extension JSON {
    /// Reads one value, which is all of the text.
    public init(parsing text: String) throws(JSONError) {
        self = try text.utf8Span.span.withUnsafeBytes { bytes throws(JSONError) in try JSON(parsing: bytes) }
    }

    /// Reads what a client sent with an event: JSON, or a bare word for a text.
    public init(payload text: String) throws(JSONError) {
        self = try Payload(text: text).json
    }

    /// Reads one value. That the bytes are UTF-8 must be known.
    private init(parsing bytes: UnsafeRawBufferPointer) throws(JSONError) {
        try JSONScanner.check(bytes)
        self.init(scanned: bytes)
    }

    /// Bytes that the scanner had nothing to say against.
    init(scanned bytes: UnsafeRawBufferPointer) {
        self = JSONCursor(bytes).map { JSONBuilder.value(at: $0) } ?? .null
    }
}

extension JSONError {
    static func checkUTF8(_ bytes: UnsafeRawBufferPointer) throws(JSONError) {
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: bytes.assumingMemoryBound(to: UInt8.self).span)
        } catch {
            throw JSONError(problem: "the text is not UTF-8", offset: error.byteOffsets.lowerBound)
        }
    }
}
