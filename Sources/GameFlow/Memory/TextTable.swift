// Texts by number, in one piece of memory, so that reading one counts no references.

import Memory

/// A table of texts that only grows.
final class TextTable {
    private var bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 1)
    /// The start of each text, followed by the end of the last.
    private var starts = UnsafeMutableBufferPointer<UInt32>.allocate(capacity: 8)
    /// The beginning of each text. A search passes nearly all others with one comparison.
    private var beginnings = UnsafeMutableBufferPointer<TextBeginning>.allocate(capacity: 8)
    private(set) var count = 0

    init(_ texts: [String] = []) {
        starts[0] = 0
        for text in texts { append(text) }
    }

    deinit {
        bytes.deallocate()
        starts.deallocate()
        beginnings.deallocate()
    }

    /// Valid until the next text is added.
    @inline(__always)
    subscript(index: Int) -> UnsafeRawBufferPointer {
        precondition(index >= 0 && index < count, "there is no text \(index) among \(count)")
        let start = Int(starts[index])
        return UnsafeRawBufferPointer(start: bytes.baseAddress.unsafelyUnwrapped + start, count: Int(starts[index + 1]) - start)
    }

    /// The first index of this text.
    func index(of text: UnsafeRawBufferPointer) -> Int? {
        guard let beginnings = beginnings.baseAddress else { return nil }
        let beginning = TextBeginning(text)
        var index = 0
        while index < count {
            if beginnings[index] == beginning, beginning.isWhole || self[index].hasSameBytes(as: text) { return index }
            index &+= 1
        }
        return nil
    }

    func append(_ text: String) {
        let (start, end) = (Int(starts[count]), Int(starts[count]) + text.utf8.count)
        makeRoom(bytes: end, texts: count + 2)
        for (offset, byte) in text.utf8.enumerated() { bytes[start + offset] = byte }
        count += 1
        starts[count] = UInt32(end)
        beginnings[count - 1] = TextBeginning(self[count - 1])
    }

    private func makeRoom(bytes needed: Int, texts: Int) {
        if needed > bytes.count {
            let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: max(needed, bytes.count * 2), alignment: 1)
            larger.copyMemory(from: UnsafeRawBufferPointer(bytes))
            bytes.deallocate()
            bytes = larger
        }
        if texts > starts.count {
            starts = starts.moved(toCapacity: max(texts, starts.count * 2), count: count + 1)
            beginnings = beginnings.moved(toCapacity: starts.count, count: count)
        }
    }
}

extension UnsafeMutableBufferPointer where Element: BitwiseCopyable {
    /// Larger memory with the first elements; this memory is freed.
    fileprivate func moved(toCapacity capacity: Int, count: Int) -> Self {
        let larger = Self.allocate(capacity: capacity)
        _ = larger.initialize(fromContentsOf: self[..<count])
        deallocate()
        return larger
    }
}

/// Seven bytes of a text, and the length of a short one. Those of equal texts are equal.
private struct TextBeginning: Equatable, BitwiseCopyable {
    private static let long: UInt64 = 0xFF << 56

    private let bits: UInt64

    @inline(__always)
    init(_ text: UnsafeRawBufferPointer) {
        let count = text.count
        let length = UInt64(truncatingIfNeeded: count) << 56
        if count >= 8 {
            bits = Self.long | text.loadUnaligned(as: UInt64.self)
        } else if count >= 4 {
            let last = text.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self)
            bits = length | UInt64(text.loadUnaligned(as: UInt32.self)) | UInt64(last) << 24
        } else if count > 0 {
            // Of one or two bytes some come twice.
            let (first, middle, last) = (text[0], text[count / 2], text[count &- 1])
            bits = length | UInt64(first) | UInt64(middle) << 8 | UInt64(last) << 16
        } else {
            bits = 0
        }
    }

    /// Whether a text with this beginning has no other bytes.
    var isWhole: Bool { bits < Self.long }
}
