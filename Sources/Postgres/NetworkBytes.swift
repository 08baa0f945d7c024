// Bytes that grow at one place, numbers with their highest byte first, as PostgreSQL's binary formats have them.

/// Memory that is kept when it is emptied.
final class NetworkBytes {
    private(set) var start: UnsafeMutableRawPointer
    private(set) var count = 0
    private var room: Int

    init(room: Int = 256) {
        self.room = room
        start = .allocate(byteCount: room, alignment: 8)
    }

    deinit { start.deallocate() }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

    func shorten(to count: Int) { self.count = count }

    /// Reserves space for this many more bytes: until it is used up, nothing moves.
    func reserve(_ more: Int) {
        if count + more > room { grow(more) }
    }

    private func grow(_ more: Int) {
        let wider = max(2 * room, count + more)
        let moved = UnsafeMutableRawPointer.allocate(byteCount: wider, alignment: 8)
        moved.copyMemory(from: start, byteCount: count)
        start.deallocate()
        (start, room) = (moved, wider)
    }

    func append<Number: FixedWidthInteger>(_ number: Number) {
        reserve(MemoryLayout<Number>.size)
        start.storeBytes(of: number.bigEndian, toByteOffset: count, as: Number.self)
        count += MemoryLayout<Number>.size
    }

    func append(_ bytes: UnsafeRawBufferPointer) {
        reserve(bytes.count)
        if let source = bytes.baseAddress { (start + count).copyMemory(from: source, byteCount: bytes.count) }
        count += bytes.count
    }

    func append(_ text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    func replace(_ number: Int32, at place: Int) {
        precondition(place + 4 <= count)
        start.storeBytes(of: number.bigEndian, toByteOffset: place, as: Int32.self)
    }

    // MARK: Values behind their lengths

    func appendNull() { append(Int32(-1)) }

    func appendValue<Number: FixedWidthInteger>(_ number: Number) {
        append(Int32(MemoryLayout<Number>.size))
        append(number)
    }

    func appendValue(_ bool: Bool) { appendValue(bool ? 1 : 0 as UInt8) }

    func appendValue(_ bytes: UnsafeRawBufferPointer) {
        append(Int32(bytes.count))
        append(bytes)
    }

    func appendValue(_ text: String) {
        var text = text
        text.withUTF8 { appendValue(UnsafeRawBufferPointer($0)) }
    }
}
