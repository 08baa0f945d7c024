// One word of a request.

import Memory

/// A view of the parser's bytes, valid until the parser is called again.
public typealias Argument = ByteView

extension Argument {
    /// Whether this is the word, case-insensitive.
    @inlinable
    public func isWord(_ word: StaticString) -> Bool {
        guard word.hasPointerRepresentation, word.utf8CodeUnitCount == bytes.count else { return false }
        guard let start = bytes.baseAddress else { return true }
        if (4...8).contains(bytes.count), start.isShortWord(UnsafeRawPointer(word.utf8Start), count: bytes.count) {
            return true
        }
        var offset = 0
        while offset < bytes.count {
            let (mine, its) = (start.load(fromByteOffset: offset, as: UInt8.self), word.utf8Start[offset])
            if mine != its, mine.capital != its.capital { return false }
            offset &+= 1
        }
        return true
    }

    /// As much of it as an error could quote.
    public var beginning: Argument { Argument(UnsafeRawBufferPointer(rebasing: bytes.prefix(512))) }

    /// Parsed as a number in canonical form: no plus, no blanks, no leading zeros.
    public var integer: Int? { Decimal.parse(bytes) }

    /// As text; nil if it is not UTF-8.
    public var text: String? { String(validating: bytes, as: UTF8.self) }

    /// As text, with `�` for invalid UTF-8.
    public var repairedText: String { String(decoding: bytes, as: UTF8.self) }
}

extension UnsafeRawPointer {
    /// Whether four to eight bytes are the same: the first four and the last four, which may overlap.
    @inlinable func isShortWord(_ other: UnsafeRawPointer, count: Int) -> Bool {
        let end = count &- 4
        return loadUnaligned(as: UInt32.self) == other.loadUnaligned(as: UInt32.self)
            && loadUnaligned(fromByteOffset: end, as: UInt32.self) == other.loadUnaligned(fromByteOffset: end, as: UInt32.self)
    }
}
