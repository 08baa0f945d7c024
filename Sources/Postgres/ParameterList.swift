// Parameters on their way to libpq.

import CPostgres

/// Parameters as libpq takes them, in memory that is used again and again.
final class ParameterList {
    private var values: [UnsafePointer<CChar>?] = []
    private var lengths: [Int32] = []
    private var formats: [Int32] = []
    private var types: [UInt32] = []
    private let small = NetworkBytes()

    /// Hands a statement to libpq, for rows in binary. False if it is not taken.
    func send(_ statement: Statement, _ parameters: [Parameter], on connection: OpaquePointer) -> Bool {
        fill(with: parameters)
        // libpq has read the borrowed memory by then.
        defer { withExtendedLifetime(parameters) {} }
        let count = Int32(parameters.count)
        if statement.name.isEmpty {
            return PQsendQueryParams(connection, statement.sql, count, types, values, lengths, formats, 1) == 1
        }
        return PQsendQueryPrepared(connection, statement.name, count, values, lengths, formats, 1) == 1
    }

    /// Large bytes stay where they are.
    private func fill(with parameters: [Parameter]) {
        values.removeAll(keepingCapacity: true)
        lengths.removeAll(keepingCapacity: true)
        types.removeAll(keepingCapacity: true)
        small.shorten(to: 0)
        // Additions after this move nothing.
        small.reserve(parameters.reduce(1) { $0 + $1.size })
        for parameter in parameters { add(parameter) }
        while formats.count < parameters.count { formats.append(1) }
    }

    private func add(_ parameter: Parameter) {
        types.append(parameter.oid)
        let begin = small.count
        switch parameter {
        case .null: return add(nil)
        case .bytes(let bytes): return add(bytes)
        case .array(let array): return add(array.bytes)
        case .int64(let number): small.append(number)
        case .int32(let number): small.append(number)
        case .text(let text): small.append(text)
        }
        add(UnsafeRawBufferPointer(start: small.start + begin, count: small.count - begin))
    }

    /// An empty value has an address, too: libpq treats a missing address as NULL.
    private func add(_ bytes: UnsafeRawBufferPointer?) {
        let start = bytes.map { $0.baseAddress ?? UnsafeRawPointer(small.start) }
        values.append(start?.assumingMemoryBound(to: CChar.self))
        lengths.append(Int32(clamping: bytes?.count ?? 0))
    }
}

// MARK: - A statement, and the values that it is run with

/// A statement that is sent by its name once it is prepared.
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
        case .bytes: TypeNumber.bytes
        case .array(let array): array.oid
        }
    }

    /// Its size in the memory for small values.
    var size: Int {
        switch self {
        case .null, .bytes, .array: 0
        case .int64, .int32: 8
        case .text(let text): text.utf8.count
        }
    }
}
