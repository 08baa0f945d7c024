// The bytes of a text that is written.

/// Grows on demand. An array checks on each append whether it is shared, which was a quarter of the cost of a message's text.
struct JSONBytes: ~Copyable {
    private var memory: UnsafeMutableRawPointer
    private var capacity: Int
    private(set) var count = 0

    init(reserving size: Int) {
        capacity = max(16, size)
        memory = .allocate(byteCount: capacity, alignment: 1)
    }

    deinit { memory.deallocate() }

    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        body(UnsafeRawBufferPointer(start: memory, count: count))
    }

    mutating func append(_ byte: UInt8) {
        if count == capacity { makeRoom(for: 1) }
        memory.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count += 1
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        append(bytes.count) { $0.copyMemory(from: start, byteCount: bytes.count) }
    }

    /// Appends `size` bytes, which `write` writes.
    mutating func append(_ size: Int, _ write: (UnsafeMutableRawPointer) -> Void) {
        if capacity - count < size { makeRoom(for: size) }
        write(memory + count)
        count += size
    }

    private mutating func makeRoom(for size: Int) {
        capacity = max(2 * capacity, count + size)
        let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 1)
        larger.copyMemory(from: memory, byteCount: count)
        memory.deallocate()
        memory = larger
    }
}
