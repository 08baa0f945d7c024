// The texts of history lines, one behind the other in large pieces: a line costs what its texts are long, and no memory of its own.

/// Bytes by their positions, which only grow. They go when nobody needs them any more, and when there are too many of them.
struct HistoryTexts: ~Copyable {
    /// No text is longer, since none lies in two chunks.
    static let chunkSize = 1 << 16

    private let mostChunks: UInt64
    /// By their numbers, as far as they have not gone; the places of the others are empty.
    private var chunks: [UnsafeMutableRawPointer?]
    /// One that has gone, for the next one.
    private var spare: UnsafeMutableRawPointer?
    /// The number of the first chunk that has not gone, and of the one that is being filled, behind it.
    private var first: UInt64 = 0
    private var end: UInt64 = 0
    private var used = HistoryTexts.chunkSize

    init(bytes: Int) {
        mostChunks = UInt64(max(2, bytes / Self.chunkSize))
        chunks = Array(repeating: nil, count: Int(mostChunks))
    }

    deinit {
        for chunk in chunks { chunk?.deallocate() }
        spare?.deallocate()
    }

    /// How much memory it holds, in bytes.
    var footprint: Int {
        Int(end - first) * Self.chunkSize + (spare == nil ? 0 : Self.chunkSize)
            + chunks.count * MemoryLayout<UnsafeMutableRawPointer?>.stride
    }

    func has(_ position: UInt64) -> Bool { position >= first * UInt64(Self.chunkSize) }

    /// Room for a text of so many bytes, and its position. They must be written before the next call.
    mutating func append(_ count: Int) -> (position: UInt64, memory: UnsafeMutableRawPointer) {
        precondition(count <= Self.chunkSize, "texts are cut before they are kept")
        if used + count > Self.chunkSize { beginChunk() }
        defer { used += count }
        return ((end - 1) * UInt64(Self.chunkSize) + UInt64(used), chunk(end - 1) + used)
    }

    /// The text at a position that is still there.
    func bytes(at position: UInt64, _ count: Int) -> UnsafeRawBufferPointer {
        let (number, offset) = position.quotientAndRemainder(dividingBy: UInt64(Self.chunkSize))
        return UnsafeRawBufferPointer(start: chunk(number) + Int(offset), count: count)
    }

    /// Nobody needs the texts before this position any more.
    @inline(__always)
    mutating func release(before position: UInt64) {
        while first + 1 < end, position >= (first + 1) * UInt64(Self.chunkSize) { removeFirst() }
    }

    private mutating func beginChunk() {
        if end - first == mostChunks { removeFirst() }
        chunks[slot(end)] = spare ?? .allocate(byteCount: Self.chunkSize, alignment: 16)
        (spare, used) = (nil, 0)
        end += 1
    }

    @inline(never)
    private mutating func removeFirst() {
        spare?.deallocate()
        spare = chunks[slot(first)]
        chunks[slot(first)] = nil
        first += 1
    }

    private func slot(_ number: UInt64) -> Int { Int(number % mostChunks) }

    private func chunk(_ number: UInt64) -> UnsafeMutableRawPointer {
        guard let chunk = chunks[slot(number)] else { preconditionFailure("a text is looked for that has gone") }
        return chunk
    }
}
