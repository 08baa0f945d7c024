// An enum's cases, read from its type metadata: their names, and a value's case as a small number. A Mirror gives a value's case name
// in 400 ns; the number takes 3.
//
// The layout is that of Swift's ABI (docs/ABI/TypeMetadata.rst in Swift's repository). It is read here and nowhere else.

/// Reads the names of an enum's cases.
package enum EnumCases {
    /// The names of all cases, those with payloads first; nil if the type is not an enum.
    package static func names(of type: Any.Type) -> [String]? {
        guard let descriptor = descriptor(of: type), let fields = target(of: descriptor + Offset.fields) else { return nil }
        let count = Int(fields.load(fromByteOffset: Offset.fieldCount, as: UInt32.self))
        let size = Int(fields.load(fromByteOffset: Offset.fieldSize, as: UInt16.self))
        return (0..<count).map { number in
            let name = target(of: fields + Offset.firstField + number * size + Offset.fieldName)
            return name.map { String(cString: $0.assumingMemoryBound(to: CChar.self)) } ?? ""
        }
    }

    /// An enum's descriptor; nil if the type is not an enum.
    private static func descriptor(of type: Any.Type) -> UnsafeRawPointer? {
        let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
        guard metadata.load(as: UInt.self) == Offset.enumKind else { return nil }
        return metadata.load(fromByteOffset: MemoryLayout<UInt>.size, as: UnsafeRawPointer.self)
    }

    /// The target of a relative pointer.
    private static func target(of address: UnsafeRawPointer) -> UnsafeRawPointer? {
        let distance = address.load(as: Int32.self)
        return distance == 0 ? nil : address + Int(distance)
    }

    /// Whether this case carries one reference to an object, and nothing else: its type is named by a reference alone, with a label or
    /// without one. Optionals, existentials and generic types have more to their names, and an indirect case carries a box.
    fileprivate static func carriesOneReference(_ type: Any.Type, _ number: Int) -> Bool {
        guard let descriptor = descriptor(of: type), let fields = target(of: descriptor + Offset.fields) else { return false }
        let size = Int(fields.load(fromByteOffset: Offset.fieldSize, as: UInt16.self))
        let field = fields + Offset.firstField + number * size
        let isIndirect = field.load(fromByteOffset: Offset.fieldFlags, as: UInt32.self) & 1 == 1
        guard !isIndirect, let name = target(of: field + Offset.fieldType) else { return false }
        guard isClass(namedAt: name) else { return false }
        let rest = String(cString: (name + 1 + MemoryLayout<Int32>.size).assumingMemoryBound(to: CChar.self))
        return rest.isEmpty || rest.hasSuffix("_t") && rest.first?.isNumber == true && !rest.dropLast(2).contains("_")
    }

    /// Whether a type's name begins with a reference to a class: directly, or by way of a pointer to its descriptor.
    private static func isClass(namedAt name: UnsafeRawPointer) -> Bool {
        let address = name + 1 + Int(name.loadUnaligned(fromByteOffset: 1, as: Int32.self))
        switch name.load(as: UInt8.self) {
        case 1: return address.load(as: UInt32.self) & Offset.kindMask == Offset.classKind
        case 2: return address.load(as: UnsafeRawPointer.self).load(as: UInt32.self) & Offset.kindMask == Offset.classKind
        default: return false
        }
    }

    fileprivate enum Offset {
        static let enumKind: UInt = 0x201
        static let fields = 16
        static let fieldSize = 10
        static let fieldCount = 12
        static let firstField = 16
        static let fieldName = 8
        static let kindMask: UInt32 = 0x1F
        static let classKind: UInt32 = 16
        static let fieldFlags = 0
        static let fieldType = 4
        // In the table of value witnesses.
        static let flags = 80
        static let getEnumTag = 88
        static let injectEnumTag = 104
        static let hasEnumWitnesses: UInt32 = 0x20_0000
    }
}

/// A number for each case of an enum. It holds no references, so a lookup touches no reference count. Its owner frees it.
@usableFromInline
struct CaseTable<Value> {
    @usableFromInline typealias Witness = @convention(c) (UnsafeRawPointer, UnsafeRawPointer) -> UInt32

    /// The value of a case that is not learnt yet.
    @usableFromInline static var unknown: UInt32 { .max }

    @usableFromInline let witness: Witness
    @usableFromInline let metadata: UnsafeRawPointer
    @usableFromInline let numbers: UnsafeMutablePointer<UInt32>
    @usableFromInline let count: Int

    /// Nil if the type is not an enum.
    init?() {
        guard let names = EnumCases.names(of: Value.self), !names.isEmpty, let witness = Self.witness() else { return nil }
        self.witness = witness
        metadata = unsafeBitCast(Value.self as Any.Type, to: UnsafeRawPointer.self)
        count = names.count
        numbers = .allocate(capacity: count)
        numbers.initialize(repeating: Self.unknown, count: count)
    }

    /// The value witness that returns a value's case.
    private static func witness() -> Witness? {
        let metadata = unsafeBitCast(Value.self as Any.Type, to: UnsafeRawPointer.self)
        let table = (metadata - MemoryLayout<UInt>.size).load(as: UnsafeRawPointer.self)
        let flags = table.load(fromByteOffset: EnumCases.Offset.flags, as: UInt32.self)
        guard flags & EnumCases.Offset.hasEnumWitnesses != 0 else { return nil }
        let address = table.load(fromByteOffset: EnumCases.Offset.getEnumTag, as: UnsafeRawPointer.self)
        return unsafeBitCast(address, to: Witness.self)
    }

    func free() { numbers.deallocate() }

    /// The number learnt for a value's case.
    @inlinable func number(of value: Value) -> UInt32 { withUnsafePointer(to: value) { number(at: $0) } }

    /// The same for an optional that is not nil: the value has the optional's address.
    @inlinable func number(of value: inout Value?) -> UInt32 { withUnsafePointer(to: &value) { number(at: $0) } }

    func set(_ number: UInt32, for value: Value) {
        let index = withUnsafePointer(to: value) { Int(witness($0, metadata)) }
        if index < count { numbers[index] = number }
    }

    @inlinable func number(at value: UnsafeRawPointer) -> UInt32 {
        let index = Int(witness(value, metadata))
        return index < count ? numbers[index] : Self.unknown
    }
}

/// Makes values of a case that carries one object and nothing else. Decoding such a value takes fifty times as long.
final class CaseMaker<Value> {
    private typealias Inject = @convention(c) (UnsafeMutableRawPointer, UInt32, UnsafeRawPointer) -> Void

    private let inject: Inject
    private let metadata: UnsafeRawPointer
    private let tag: UInt32

    /// For the case of `value`, which carries this object. Nil if the case carries something else, too.
    init?(_ value: Value, carrying object: AnyObject) {
        guard let cases = CaseTable<Value>() else { return nil }
        defer { cases.free() }
        metadata = cases.metadata
        tag = withUnsafePointer(to: value) { cases.witness($0, cases.metadata) }
        guard tag < cases.count, EnumCases.carriesOneReference(Value.self, Int(tag)) else { return nil }
        let table = (metadata - MemoryLayout<UInt>.size).load(as: UnsafeRawPointer.self)
        inject = unsafeBitCast(
            table.load(fromByteOffset: EnumCases.Offset.injectEnumTag, as: UnsafeRawPointer.self), to: Inject.self)
        guard Self.firstWord(of: value) == Self.firstWord(of: make(object)) else { return nil }
    }

    func make(_ object: AnyObject) -> Value {
        withUnsafeTemporaryAllocation(of: Value.self, capacity: 1) { room in
            let address = UnsafeMutableRawPointer(room.baseAddress.proven)
            // The tag may be put into bits of the payload that must be clear before.
            address.initializeMemory(as: UInt8.self, repeating: 0, count: MemoryLayout<Value>.size)
            address.storeBytes(of: Unmanaged.passRetained(object).toOpaque(), as: UnsafeMutableRawPointer.self)
            inject(address, tag, metadata)
            return room.baseAddress.proven.move()
        }
    }

    private static func firstWord(of value: Value) -> UInt { withUnsafeBytes(of: value) { $0.load(as: UInt.self) } }
}
