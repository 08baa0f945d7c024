// The owner of a sandbox of Lua, and the only file that handles its memory.

import CLua
import JSON

/// A failed call of Lua, and its cause.
struct LuaFailure: Error {
    enum Kind {
        /// Lua says why.
        case message
        case outOfMemory
        case outOfSteps
        case tooDeep
        /// The expressions of one event have taken too many steps together.
        case overBudget
    }

    var kind: Kind
    var message = ""
    /// The bytes of a text that were read until then.
    var consumed = 0
}

/// One state of Lua, without anything that could reach out of it. Of one thread.
final class LuaState {
    private let sandbox: OpaquePointer
    /// Whether there was memory for all arguments.
    private var hasAll = true

    init() throws(LuaFailure) {
        guard let sandbox = gl_open() else { throw LuaFailure(kind: .outOfMemory) }
        self.sandbox = sandbox
    }

    deinit {
        gl_close(sandbox)
    }

    /// Bytes in use.
    var memory: Int { gl_memory(sandbox) }

    /// The steps of all evaluations; it only grows.
    var spent: Int { Int(gl_spent(sandbox)) }

    // MARK: Compiling

    /// Whether the text is what may stand behind `return`.
    func parse(_ text: String) throws(LuaFailure) {
        var consumed = 0
        let outcome = text.withBytes { gl_parse(sandbox, $0, $1, &consumed) }
        guard outcome == 0 else { throw failure(outcome, consumed: consumed) }
    }

    /// Compiles a chunk that returns a function, and keeps that.
    func compile(_ chunk: String, libraries: UInt64) throws(LuaFailure) -> Int32 {
        var function: Int32 = 0
        let outcome = chunk.withBytes { gl_compile(sandbox, $0, $1, libraries, &function) }
        guard outcome == 0 else { throw failure(outcome) }
        return function
    }

    func forget(_ function: Int32) { gl_forget(sandbox, function) }

    /// Excludes compiled code from the memory that is counted for an evaluation.
    func resetMemoryBaseline() { gl_settle(sandbox) }

    private func failure(_ outcome: Int32, consumed: Int = 0) -> LuaFailure {
        switch gl_outcome(UInt32(bitPattern: outcome)) {
        case GL_OUT_OF_MEMORY: return LuaFailure(kind: .outOfMemory, consumed: consumed)
        case GL_OUT_OF_STEPS: return LuaFailure(kind: .outOfSteps)
        case GL_TOO_DEEP: return LuaFailure(kind: .tooDeep)
        default: return LuaFailure(kind: .message, message: message, consumed: consumed)
        }
    }

    private var message: String {
        var length = 0
        guard let start = gl_message(sandbox, &length) else { return "" }
        return String(decoding: UnsafeRawBufferPointer(start: start, count: length), as: UTF8.self)
    }

    // MARK: Arguments

    func begin() {
        gl_begin(sandbox)
        hasAll = true
    }

    func add(_ value: JSON) {
        switch value {
        case .null: recordSuccess(gl_add_nil(sandbox))
        case .bool(let value): recordSuccess(gl_add_boolean(sandbox, value ? 1 : 0))
        case .integer(let value): recordSuccess(gl_add_integer(sandbox, Int64(value)))
        case .number(let value): recordSuccess(gl_add_number(sandbox, value))
        case .string(let text): add(text)
        case .array(let values): add(values)
        case .object(let members): add(members)
        }
    }

    private func add(_ text: String) { recordSuccess(text.withBytes { gl_add_text(sandbox, $0, $1) }) }

    private func add(_ values: [JSON]) {
        recordSuccess(gl_add_container(sandbox, 0, UInt32(clamping: values.count)))
        for value in values { add(value) }
    }

    private func add(_ members: [JSON.Member]) {
        recordSuccess(gl_add_container(sandbox, 1, UInt32(clamping: members.count)))
        for member in members {
            add(member.name)
            add(member.value)
        }
    }

    private func recordSuccess(_ success: Int32) {
        if success == 0 { hasAll = false }
    }

    // MARK: Calling

    /// Calls the function with this many of the values as arguments.
    func call(_ function: Int32, arguments: Int32, counting: gl_counting) throws(LuaFailure) -> gl_value {
        var result = gl_value()
        guard hasAll else { throw LuaFailure(kind: .outOfMemory) }
        let outcome = gl_call(sandbox, function, arguments, counting, &result)
        guard outcome == 0 else { throw failure(outcome) }
        return result
    }

    /// The content of the table that the last call returned.
    func flattened() throws(LuaFailure) -> JSON {
        var values: UnsafePointer<gl_value>?
        var count = 0
        let outcome = gl_flatten(sandbox, &values, &count)
        guard outcome == 0 else { throw failure(outcome) }
        var reader = ResultReader(values: UnsafeBufferPointer(start: values, count: count))
        return try reader.next()
    }
}

/// Builds a value from a flat list, with each container before its content.
private struct ResultReader {
    let values: UnsafeBufferPointer<gl_value>
    var index = 0

    mutating func next() throws(LuaFailure) -> JSON {
        let value = values[index]
        index += 1
        switch gl_kind(value.kind) {
        case GL_ARRAY: return try array(value.count)
        case GL_OBJECT: return try object(value.count)
        default: return try value.scalar()
        }
    }

    private mutating func array(_ count: UInt32) throws(LuaFailure) -> JSON {
        var elements: [JSON] = []
        elements.reserveCapacity(Int(count))
        for _ in 0..<count { elements.append(try next()) }
        return .array(elements)
    }

    private mutating func object(_ count: UInt32) throws(LuaFailure) -> JSON {
        var members: [JSON.Member] = []
        members.reserveCapacity(Int(count))
        for _ in 0..<count {
            let name = try values[index].string()
            index += 1
            members.append(JSON.Member(name, try next()))
        }
        return .object(members)
    }
}

extension gl_value {
    var isContainer: Bool { kind == GL_ARRAY.rawValue || kind == GL_OBJECT.rawValue }

    /// Lua's truth: all but nil and false.
    var isTrue: Bool { kind == GL_BOOLEAN.rawValue ? integer != 0 : kind != GL_NIL.rawValue }

    func scalar() throws(LuaFailure) -> JSON {
        switch gl_kind(kind) {
        case GL_NIL: return .null
        case GL_BOOLEAN: return .bool(integer != 0)
        case GL_INTEGER: return .integer(Int(integer))
        case GL_NUMBER: return .number(try finite())
        default: return .string(try string())
        }
    }

    private func finite() throws(LuaFailure) -> Double {
        guard number.isFinite else {
            throw LuaFailure(
                kind: .message, message: "the result is \(number.isNaN ? "nan" : "\(number)"), which is no number that JSON has"
            )
        }
        return number
    }

    func string() throws(LuaFailure) -> String {
        let bytes = UnsafeRawBufferPointer(start: text, count: Int(count))
        guard let string = String(validating: bytes, as: UTF8.self) else {
            throw LuaFailure(kind: .message, message: "the result has a text that is no UTF-8")
        }
        return string
    }
}

extension String {
    /// Calls `body` with where the bytes of UTF-8 begin, and how many there are.
    fileprivate func withBytes<Result>(_ body: (UnsafePointer<CChar>?, Int) -> Result) -> Result {
        utf8Span.span.withUnsafeBytes { body($0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count) }
    }
}
