// What a text may have in it and nobody should be sent as it is.

extension Unicode.Scalar {
    /// Whether it does something to the text around it, or to a terminal, rather than being shown: control characters, ends of lines,
    /// and what turns the direction of text or is not seen at all. Wherever text of others is written, these are escaped.
    package var isUnprintable: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }
}
