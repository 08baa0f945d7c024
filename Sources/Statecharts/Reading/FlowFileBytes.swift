// The bytes of a flow file, checked before anything reads them.

enum FlowFileBytes {
    /// Why these bytes are not even looked into.
    static func problem(of bytes: [UInt8]) -> FlowFileProblem? {
        guard bytes.count <= ChartBounds.fileBytes else {
            return FlowFileProblem(.error, "a flow file has at most \(ChartBounds.fileBytes >> 20) MiB, and this one has more")
        }
        if bytes.first(where: { $0 > UInt8(ascii: " ") }) == UInt8(ascii: "<") {
            return FlowFileProblem(.error, "this looks like XML, and a flow file is JSON5: { id: \"lamp\", states: { … } }")
        }
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: bytes.span)
            return nil
        } catch {
            let line = bytes[..<error.byteOffsets.lowerBound].count { $0 == 0x0A } + 1
            return FlowFileProblem(.error, line: line, "a flow file is UTF-8, and in this line there is a byte that is not")
        }
    }
}
