// The texts of history lines, in one ring of bytes: a line costs what its texts are long, and no memory of its own.

/// Bytes by their positions, which only grow. When the ring is full, the newest take the room of the oldest.
struct HistoryTexts: ~Copyable {
    /// No text is longer, since none lies in two chunks.
    static let chunkSize = 1 << 16

    private let mostChunks: Int
    private var chunks: [UnsafeMutableRawPointer] = []
    /// The chunk that is being filled, counted from the first, and how far it is.
    private var current: UInt64 = 0
    private var used = HistoryTexts.chunkSize

    init(bytes: Int) {
        mostChunks = max(2, bytes / Self.chunkSize)
    }

    deinit {
        for chunk in chunks { chunk.deallocate() }
    }

    /// How much memory it holds, in bytes.
    var footprint: Int { chunks.count * Self.chunkSize }

    /// What lies before this position is gone.
    private var start: UInt64 {
        current < UInt64(mostChunks) ? 0 : (current - UInt64(mostChunks) + 1) * UInt64(Self.chunkSize)
    }

    func has(_ position: UInt64) -> Bool { position >= start }

    /// Room for a text of so many bytes, and its position. They must be written before the next call.
    mutating func append(_ count: Int) -> (position: UInt64, memory: UnsafeMutableRawPointer) {
        precondition(count <= Self.chunkSize, "texts are cut before they are kept")
        if used + count > Self.chunkSize { beginChunk() }
        defer { used += count }
        return (current * UInt64(Self.chunkSize) + UInt64(used), chunk(current) + used)
    }

    /// The text at a position that is still there.
    func bytes(at position: UInt64, _ count: Int) -> UnsafeRawBufferPointer {
        let (number, offset) = position.quotientAndRemainder(dividingBy: UInt64(Self.chunkSize))
        return UnsafeRawBufferPointer(start: chunk(number) + Int(offset), count: count)
    }

    private mutating func beginChunk() {
        if !chunks.isEmpty { current += 1 }
        used = 0
        if chunks.count < mostChunks, current == UInt64(chunks.count) {
            chunks.append(.allocate(byteCount: Self.chunkSize, alignment: 16))
        }
    }

    private func chunk(_ number: UInt64) -> UnsafeMutableRawPointer { chunks[Int(number % UInt64(mostChunks))] }
}
