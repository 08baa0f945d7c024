// A label of a sample, escaped once for all its samples.

/// A name, which has letters, digits and underscores, and a value, which may be anything.
package struct MetricLabel: Sendable {
    let bytes: [UInt8]

    package init(_ name: String, _ value: String) {
        var bytes = Array(name.utf8)
        bytes += "=\"".utf8
        Self.escape(value, quotes: true, into: &bytes)
        bytes.append(UInt8(ascii: "\""))
        self.bytes = bytes
    }

    /// The format knows three escapes, and takes any other character as it is.
    static func escape(_ text: String, quotes: Bool, into bytes: inout [UInt8]) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\\"): bytes += [byte, byte]
            case UInt8(ascii: "\n"): bytes += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
            case UInt8(ascii: "\"") where quotes: bytes += [UInt8(ascii: "\\"), byte]
            default: bytes.append(byte)
            }
        }
    }
}
