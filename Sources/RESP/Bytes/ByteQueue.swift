// A byte queue: for input not parsed yet, and output not sent yet.

/// Grows on demand. A new queue holds no memory, and one emptied after a burst releases it.
public struct ByteQueue: ~Copyable {
    private static let smallest = 1024

    private var memory: UnsafeMutableRawPointer?
    private var capacity = 0
    private var front = 0
    private var back = 0
    /// The most memory that an empty queue keeps, in bytes.
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

    /// The contents. The pointer is valid until the queue changes.
    public var bytes: UnsafeRawBufferPointer {
        guard let memory else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return UnsafeRawBufferPointer(start: memory + front, count: count)
    }

    // MARK: The front

    /// Removes bytes from the front.
    public mutating func consume(_ count: Int) {
        precondition(count >= 0 && count <= self.count, "a queue of \(self.count) bytes cannot give \(count)")
        front += count
        if isEmpty { removeAll() }
    }

    /// Empties the queue, and keeps its memory up to `kept`.
    public mutating func removeAll() {
        (front, back) = (0, 0)
        if capacity > kept { releaseMemory() }
    }

    /// Releases an idle queue's memory. No effect unless it is empty.
    public mutating func releaseMemory() {
        guard isEmpty else { return }
        memory?.deallocate()
        (memory, capacity, front, back) = (nil, 0, 0, 0)
    }

    // MARK: The back

    /// Room for at least `count` bytes at the back, to be filled and then committed.
    public mutating func room(for count: Int) -> UnsafeMutableRawBufferPointer {
        if capacity - back < count { makeRoom(for: count) }
        guard let memory else { return UnsafeMutableRawBufferPointer(start: nil, count: 0) }
        return UnsafeMutableRawBufferPointer(start: memory + back, count: capacity - back)
    }

    /// Appends bytes that were written into the room.
    public mutating func commit(_ count: Int) {
        precondition(count >= 0 && count <= capacity - back, "there was no room for \(count) bytes")
        back += count
    }

    /// Removes bytes from the back.
    public mutating func removeLast(_ count: Int) {
        precondition(count >= 0 && count <= self.count, "a queue of \(self.count) bytes cannot lose \(count)")
        back -= count
        if isEmpty { removeAll() }
    }

    public mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty else { return }
        room(for: bytes.count).copyMemory(from: bytes)
        back += bytes.count
    }

    /// Appends as many bytes, which `write` writes.
    @inline(__always)
    mutating func append(count: Int, writtenBy write: (UnsafeMutableRawPointer) -> Void) {
        if capacity &- back < count { makeRoom(for: count) }
        guard let memory else { return }
        write(memory + back)
        back &+= count
    }

    public mutating func append(_ byte: UInt8) {
        room(for: 1)[0] = byte
        back += 1
    }

    /// Makes the `old` bytes at an offset `new` bytes long, and moves what follows. The caller writes them.
    mutating func resize(at offset: Int, from old: Int, to new: Int) -> UnsafeMutableRawPointer? {
        if new > old { _ = room(for: new - old) }
        guard let memory else { return nil }
        let start = memory + front + offset
        if new != old { (start + new).copyMemory(from: start + old, byteCount: count - offset - old) }
        back += new - old
        return start
    }

    /// Compacts if more than half was consumed, so that each byte moves at most once; grows otherwise.
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
        let new = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 8)
        if let memory {
            new.copyMemory(from: memory + front, byteCount: count)
            memory.deallocate()
        }
        (memory, capacity) = (new, larger)
    }
}
