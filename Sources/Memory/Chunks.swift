// Elements by number, in memory that never moves.

/// A table of chunks of 4,096 elements. Growing copies no element, no growth takes longer than another, and chunks begin on the borders
/// of cache lines: what malloc gives by itself lies askew. An element is used where it lies, by its number; that its chunk is there is
/// the owner's promise, checked in debug builds.
public struct Chunks<Element: BitwiseCopyable>: ~Copyable {
    /// Elements in a chunk.
    @inlinable public static var size: UInt32 { 1 << bits }
    @usableFromInline static var bits: UInt32 { 12 }

    private let blank: Element?
    @usableFromInline private(set) var table: UnsafeMutablePointer<UnsafeMutablePointer<Element>>
    @usableFromInline private(set) var count = 0
    private var capacity = 16
    /// Stands for every chunk that was left out. It is only read.
    private var vacant: UnsafeMutablePointer<Element>?

    /// No chunk yet; the elements of a new one are `blank`. With nil its memory is not touched: an element is written before it is read.
    public init(blank: Element? = nil) {
        self.blank = blank
        table = .allocate(capacity: capacity)
    }

    deinit {
        free()
        table.deallocate()
    }

    /// The element with this number.
    @inlinable
    public subscript(number: UInt32) -> Element {
        unsafeAddress { UnsafePointer(address(of: number)) }
        nonmutating unsafeMutableAddress { address(of: number) }
    }

    /// The element's address, for prefetching.
    @inlinable public func place(of number: UInt32) -> UnsafeRawPointer { UnsafeRawPointer(address(of: number)) }

    @inlinable func address(of number: UInt32) -> UnsafeMutablePointer<Element> {
        let chunk = Int(number >> Self.bits)
        assert(chunk < count, "element \(number) is beyond the last chunk")
        return table[chunk] + Int(number & (Self.size &- 1))
    }

    /// How much memory it holds, in bytes.
    public var footprint: Int {
        let chunks = (0..<count).count { table[$0] != vacant } + (vacant == nil ? 0 : 1)
        return chunks * Int(Self.size) * MemoryLayout<Element>.stride + capacity * MemoryLayout<UInt>.stride
    }

    /// The element's chunk is there from here on. Those between it and the last one before are left out: they share one chunk, which is
    /// read and never written.
    public mutating func makeRoom(for number: UInt32) {
        let chunk = Int(number >> Self.bits)
        skip(to: number)
        if chunk == count {
            append(newChunk())
        } else if table[chunk] == vacant {
            table[chunk] = newChunk()
        }
    }

    /// The chunks before the element's are there, or left out.
    public mutating func skip(to number: UInt32) {
        while count < Int(number >> Self.bits) { append(vacantChunk()) }
    }

    /// Gives all memory of elements back.
    public mutating func removeAll() {
        free()
        (count, vacant) = (0, nil)
    }

    private func free() {
        for chunk in 0..<count where table[chunk] != vacant { table[chunk].deallocate() }
        vacant?.deallocate()
    }

    private mutating func vacantChunk() -> UnsafeMutablePointer<Element> {
        let chunk = vacant ?? newChunk()
        vacant = chunk
        return chunk
    }

    private func newChunk() -> UnsafeMutablePointer<Element> {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: Int(Self.size) * MemoryLayout<Element>.stride, alignment: 64)
        guard let blank else { return memory.bindMemory(to: Element.self, capacity: Int(Self.size)) }
        return memory.initializeMemory(as: Element.self, repeating: blank, count: Int(Self.size))
    }

    private mutating func append(_ chunk: UnsafeMutablePointer<Element>) {
        if count == capacity { growTable() }
        (table + count).initialize(to: chunk)
        count += 1
    }

    private mutating func growTable() {
        let larger = UnsafeMutablePointer<UnsafeMutablePointer<Element>>.allocate(capacity: capacity * 2)
        larger.moveInitialize(from: table, count: count)
        table.deallocate()
        (table, capacity) = (larger, capacity * 2)
    }
}
