// Bytes that come in at the back and leave at the front: read and not parsed yet, or written and not sent yet.

/// Owns its memory and takes it as it is needed: an empty queue has none, and one that is emptied after a burst gives it back.
public struct ByteQueue: ~Copyable {
    private static let smallest = 1024

    private var memory: UnsafeMutableRawPointer?
    private var capacity = 0
    private var front = 0
    private var back = 0
    /// How much memory an empty queue holds on to, in bytes.
    private let kept: Int

    public init(keeping kept: Int = 64 * 1024) {
        self.kept = kept
    }

    deinit {
        memory?.deallocate()
    }

    public var count: Int { back - front }

    public var isEmpty: Bool { front == back }

    /// How much memory the queue holds, in bytes.
    public var footprint: Int { capacity }

    /// What is in the queue. The pointer is good until the queue changes.
    public var bytes: UnsafeRawBufferPointer {
        guard let memory else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return UnsafeRawBufferPointer(start: memory + front, count: count)
    }

    // MARK: The front

    /// The first bytes have been dealt with.
    public mutating func consume(_ count: Int) {
        precondition(count >= 0 && count <= self.count, "a queue of \(self.count) bytes cannot give \(count)")
        front += count
        if isEmpty { removeAll() }
    }

    /// Empties the queue; its memory stays, unless there is very much of it.
    public mutating func removeAll() {
        (front, back) = (0, 0)
        if capacity > kept { releaseMemory() }
    }

    /// For a queue that rests: it holds no memory until it is used again. One that is not empty keeps what it has.
    public mutating func releaseMemory() {
        guard isEmpty else { return }
        memory?.deallocate()
        (memory, capacity, front, back) = (nil, 0, 0, 0)
    }

    // MARK: The back

    /// Room for `count` bytes or more behind the last one. What is written there counts once it is committed.
    public mutating func room(for count: Int) -> UnsafeMutableRawBufferPointer {
        if capacity - back < count { makeRoom(for: count) }
        guard let memory else { return UnsafeMutableRawBufferPointer(start: nil, count: 0) }
        return UnsafeMutableRawBufferPointer(start: memory + back, count: capacity - back)
    }

    /// So many bytes have been written into the room.
    public mutating func commit(_ count: Int) {
        precondition(count >= 0 && count <= capacity - back, "there was no room for \(count) bytes")
        back += count
    }

    /// The last bytes have not been said.
    public mutating func takeBack(_ count: Int) {
        precondition(count >= 0 && count <= self.count, "a queue of \(self.count) bytes cannot lose \(count)")
        back -= count
        if isEmpty { removeAll() }
    }

    public mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty else { return }
        room(for: bytes.count).copyMemory(from: bytes)
        back += bytes.count
    }

    public mutating func append(_ byte: UInt8) {
        room(for: 1)[0] = byte
        back += 1
    }

    /// Moves the bytes to the beginning if more than half was consumed, so that each byte is moved once at most; grows otherwise.
    @inline(never)
    private mutating func makeRoom(for count: Int) {
        let used = self.count
        if let memory, used <= front, capacity - used >= count {
            memory.copyMemory(from: memory + front, byteCount: used)
        } else {
            grow(to: max(capacity * 2, used + count, Self.smallest))
        }
        (front, back) = (0, used)
    }

    private mutating func grow(to larger: Int) {
        let new = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
        if let memory {
            new.copyMemory(from: memory + front, byteCount: count)
            memory.deallocate()
        }
        (memory, capacity) = (new, larger)
    }
}
