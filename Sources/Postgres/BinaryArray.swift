// An array that is a parameter: many rows are one statement with arrays and unnest.

/// Elements of one type, or NULL, in PostgreSQL's binary format. It can be emptied and filled again, without new memory.
package final class BinaryArray {
    package enum Element: Sendable {
        case int64
        case int32
        case bool
        case text
        case bytes

        /// The numbers of the type, and of arrays of it.
        fileprivate var oids: (element: UInt32, array: UInt32) {
            switch self {
            case .int64: (TypeNumber.int64, 1_016)
            case .int32: (TypeNumber.int32, 1_007)
            case .bool: (TypeNumber.bool, 1_000)
            case .text: (TypeNumber.text, 1_009)
            case .bytes: (TypeNumber.bytes, 1_001)
            }
        }
    }

    /// Dimensions, whether there is a NULL, the elements' type, and of the one dimension its length and first index.
    private static let headSize = 20
    /// An array without elements has no dimension.
    private static let emptySize = 12

    private let element: Element
    private let content = NetworkBytes()
    private var hasNull = false
    /// Where the last element's bytes begin.
    private var lastStart = headSize
    package private(set) var count = 0

    package init(of element: Element) {
        self.element = element
        for _ in 0..<5 { content.append(0 as Int32) }
    }

    package convenience init(_ numbers: [Int32]) {
        self.init(of: .int32)
        for number in numbers { append(number) }
    }

    /// Nil is NULL.
    package convenience init(_ numbers: [Int64?]) {
        self.init(of: .int64)
        for number in numbers { if let number { append(number) } else { appendNull() } }
    }

    package func removeAll() {
        content.shorten(to: Self.headSize)
        (hasNull, count) = (false, 0)
    }

    /// How much of a message it will be.
    package var byteCount: Int { content.count }

    package func append(_ number: Int64) {
        precondition(element == .int64)
        content.appendValue(number)
        count += 1
    }

    package func append(_ number: Int32) {
        precondition(element == .int32)
        content.appendValue(number)
        count += 1
    }

    package func append(_ bool: Bool) {
        precondition(element == .bool)
        content.appendValue(bool ? 1 : 0 as UInt8)
        count += 1
    }

    package func append(_ text: String) {
        precondition(element == .text)
        lastStart = content.count + 4
        content.appendValue(text)
        count += 1
    }

    /// Bytes, or a text's in UTF-8.
    package func append(_ bytes: UnsafeRawBufferPointer) {
        precondition(element == .bytes || element == .text)
        lastStart = content.count + 4
        content.appendValue(bytes)
        count += 1
    }

    package func appendNull() {
        content.append(-1 as Int32)
        lastStart = .max
        hasNull = true
        count += 1
    }

    /// The last element's bytes, if it is not NULL. Valid until the array is changed.
    package var last: UnsafeRawBufferPointer? {
        lastStart > content.count ? nil : UnsafeRawBufferPointer(rebasing: content.bytes[lastStart...])
    }

    var oid: UInt32 { element.oids.array }

    /// All of it, valid until it is changed.
    var bytes: UnsafeRawBufferPointer {
        content.replace(count == 0 ? 0 : 1, at: 0)
        content.replace(hasNull ? 1 : 0, at: 4)
        content.replace(Int32(element.oids.element), at: 8)
        content.replace(Int32(count), at: 12)
        content.replace(1, at: 16)
        return count == 0 ? UnsafeRawBufferPointer(rebasing: content.bytes[..<Self.emptySize]) : content.bytes
    }
}

/// The numbers that PostgreSQL's types have everywhere.
enum TypeNumber {
    static let bool: UInt32 = 16
    static let bytes: UInt32 = 17
    static let int64: UInt32 = 20
    static let int32: UInt32 = 23
    static let text: UInt32 = 25
    /// Text by other names: name, json, unknown, char(n), varchar(n).
    static let texts: [UInt32] = [text, 19, 114, 705, 1_042, 1_043]
}

// MARK: - Bytes that grow at one place, numbers with their highest byte first, as PostgreSQL's binary formats have them.

/// Memory that is kept when it is emptied.
final class NetworkBytes {
    private(set) var start: UnsafeMutableRawPointer
    private(set) var count = 0
    private var room = 256

    init() {
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

    func appendValue<Number: FixedWidthInteger>(_ number: Number) {
        append(Int32(MemoryLayout<Number>.size))
        append(number)
    }

    func appendValue(_ bytes: UnsafeRawBufferPointer) {
        append(Int32(bytes.count))
        append(bytes)
    }

    func appendValue(_ text: String) {
        var text = text
        text.withUTF8 { appendValue(UnsafeRawBufferPointer($0)) }
    }
}
