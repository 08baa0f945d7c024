// Reading JSON (RFC 8259). Hand-written, since payloads are read on the path of an event, and Foundation's reader costs
// microseconds before its first byte. A text is scanned first, and nodes are built from scanned text.

extension JSON {
    /// Reads one value, which must be the whole text.
    public init(parsing text: String) throws(JSONError) {
        self = try text.utf8Span.span.withUnsafeBytes { bytes throws(JSONError) in try JSON(parsing: bytes) }
    }

    /// Reads an event's payload: JSON, or a bare word, which stands for a string.
    public init(payload text: String) throws(JSONError) {
        self = try Payload(text: text).json
    }

    /// Reads one value. The bytes must be valid UTF-8.
    private init(parsing bytes: UnsafeRawBufferPointer) throws(JSONError) {
        try JSONScanner.check(bytes)
        self.init(scanned: bytes)
    }

    /// Bytes that the scanner has accepted.
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
