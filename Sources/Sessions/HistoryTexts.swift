// The texts of history entries, packed into large chunks: an entry costs the length of its texts, and no allocation.

/// Bytes by position. Positions only grow; chunks are released once no line needs them, and when there are too many.
struct HistoryTexts: ~Copyable {
    /// The limit of an entry's texts, too, which never span two chunks.
    static let chunkSize = 1 << 16

    private let maxChunks: UInt64
    /// A ring of chunks by number; released ones are nil.
    private var chunks: [UnsafeMutableRawPointer?]
    /// A released chunk, to be used again.
    private var spare: UnsafeMutableRawPointer?
    /// The number of the oldest chunk, and one more than that of the chunk being filled.
    private var first: UInt64 = 0
    private var end: UInt64 = 0
    private var used = HistoryTexts.chunkSize

    init(bytes: Int) {
        maxChunks = UInt64(max(2, bytes / Self.chunkSize))
        chunks = Array(repeating: nil, count: Int(maxChunks))
    }

    deinit {
        for chunk in chunks { chunk?.deallocate() }
        spare?.deallocate()
    }

    /// Memory held, in bytes.
    var footprint: Int {
        Int(end - first) * Self.chunkSize + (spare == nil ? 0 : Self.chunkSize)
            + chunks.count * MemoryLayout<UnsafeMutableRawPointer?>.stride
    }

    func has(_ position: UInt64) -> Bool { position >= first * UInt64(Self.chunkSize) }

    /// Returns the position of the copy.
    mutating func append(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        precondition(bytes.count <= Self.chunkSize, "texts are cut before they are kept")
        if used + bytes.count > Self.chunkSize { beginChunk() }
        defer { used += bytes.count }
        UnsafeMutableRawBufferPointer(start: chunk(end - 1) + used, count: bytes.count).copyMemory(from: bytes)
        return (end - 1) * UInt64(Self.chunkSize) + UInt64(used)
    }

    /// The text at a position that has not been released.
    func bytes(at position: UInt64, _ count: Int) -> UnsafeRawBufferPointer {
        let (number, offset) = position.quotientAndRemainder(dividingBy: UInt64(Self.chunkSize))
        return UnsafeRawBufferPointer(start: chunk(number) + Int(offset), count: count)
    }

    mutating func release(before position: UInt64) {
        while first + 1 < end, position >= (first + 1) * UInt64(Self.chunkSize) { removeFirst() }
    }

    private mutating func beginChunk() {
        if end - first == maxChunks { removeFirst() }
        chunks[slot(end)] = spare ?? .allocate(byteCount: Self.chunkSize, alignment: 16)
        (spare, used) = (nil, 0)
        end += 1
    }

    private mutating func removeFirst() {
        spare?.deallocate()
        spare = chunks[slot(first)]
        chunks[slot(first)] = nil
        first += 1
    }

    private func slot(_ number: UInt64) -> Int { Int(number % maxChunks) }

    private func chunk(_ number: UInt64) -> UnsafeMutableRawPointer {
        guard let chunk = chunks[slot(number)] else {
            preconditionFailure("a history text was read after its chunk was released")
        }
        return chunk
    }
}
