// Texts by number, in one piece of memory, so that reading one counts no references.

import Memory

/// A table of texts that only grows.
final class TextTable {
    private var bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 1)
    /// The start of each text, followed by the end of the last.
    private var starts = UnsafeMutableBufferPointer<UInt32>.allocate(capacity: 8)
    private(set) var count = 0

    init(_ texts: [String] = []) {
        starts[0] = 0
        for text in texts { append(text) }
    }

    deinit {
        bytes.deallocate()
        starts.deallocate()
    }

    /// Valid until the next text is added.
    @inline(__always)
    subscript(place: Int) -> UnsafeRawBufferPointer {
        precondition(place >= 0 && place < count, "there is no text \(place) among \(count)")
        let start = Int(starts[place])
        return UnsafeRawBufferPointer(start: bytes.baseAddress.unsafelyUnwrapped + start, count: Int(starts[place + 1]) - start)
    }

    /// The first index of this text.
    func place(of text: UnsafeRawBufferPointer) -> Int? {
        guard let bytes = bytes.baseAddress, let starts = starts.baseAddress else { return nil }
        for place in 0..<count {
            let length = Int(starts[place &+ 1] &- starts[place])
            let own = UnsafeRawBufferPointer(start: bytes + Int(starts[place]), count: length)
            if own.hasSameBytes(as: text) { return place }
        }
        return nil
    }

    func append(_ text: String) {
        let (start, end) = (Int(starts[count]), Int(starts[count]) + text.utf8.count)
        makeRoom(bytes: end, texts: count + 2)
        for (offset, byte) in text.utf8.enumerated() { bytes[start + offset] = byte }
        count += 1
        starts[count] = UInt32(end)
    }

    private func makeRoom(bytes needed: Int, texts: Int) {
        if needed > bytes.count {
            let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: max(needed, bytes.count * 2), alignment: 1)
            larger.copyMemory(from: UnsafeRawBufferPointer(bytes))
            bytes.deallocate()
            bytes = larger
        }
        if texts > starts.count {
            let larger = UnsafeMutableBufferPointer<UInt32>.allocate(capacity: max(texts, starts.count * 2))
            _ = larger.moveInitialize(fromContentsOf: starts)
            starts.deallocate()
            starts = larger
        }
    }
}
