// A statement, and the values that it is run with.

/// What is sent by its name once it is prepared.
package struct Statement: Sendable, Equatable {
    /// Empty for one that is sent whole each time.
    package let name: String
    package let sql: String

    package init(_ name: String, _ sql: String) { (self.name, self.sql) = (name, sql) }

    /// One that is not prepared.
    package init(_ sql: String) { self.init("", sql) }
}

package enum Parameter {
    case null
    case int64(Int64)
    case int32(Int32)
    case bool(Bool)
    case text(String)
    /// For bytea, or text in UTF-8. They are read until `send` returns.
    case bytes(UnsafeRawBufferPointer)
    /// It is read until `send` returns.
    case array(BinaryArray)

    /// Zero leaves it to the server.
    var oid: UInt32 {
        switch self {
        case .null, .text: 0
        case .int64: TypeNumber.int64
        case .int32: TypeNumber.int32
        case .bool: TypeNumber.bool
        case .bytes: TypeNumber.bytes
        case .array(let array): array.oid
        }
    }

    /// What it takes of the room for small values.
    var size: Int {
        switch self {
        case .null, .bytes, .array: 0
        case .int64, .int32, .bool: 8
        case .text(let text): text.utf8.count
        }
    }
}
