// JSON written part by part: for texts that are made so often that a value should not be made first.

/// The text of one JSON value. Commas are its business; that each value in an object has a name before it is the caller's.
package struct JSONText: ~Copyable {
    private var writer: JSONWriter
    private var needsComma = false

    /// `size` is how many bytes it is likely to have.
    package init(reserving size: Int = 512) {
        writer = JSONWriter(reserving: size)
    }

    package consuming func finished() -> String { String(decoding: writer.bytes, as: UTF8.self) }

    // MARK: Objects and lists

    package mutating func beginObject() { begin(.openBrace) }
    package mutating func endObject() { end(.closeBrace) }
    package mutating func beginArray() { begin(.openBracket) }
    package mutating func endArray() { end(.closeBracket) }

    /// The value is what comes next. The name is written as it is, and so needs no escapes.
    package mutating func name(_ name: StaticString) {
        separate()
        writer.append(.quote)
        writer.append(name)
        writer.append(.quote)
        writer.append(.colon)
        needsComma = false
    }

    private mutating func begin(_ mark: UInt8) {
        separate()
        writer.append(mark)
        needsComma = false
    }

    private mutating func end(_ mark: UInt8) {
        writer.append(mark)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { writer.append(.comma) }
        needsComma = true
    }

    // MARK: Values

    /// Text that is JSON already.
    package mutating func value(written text: String) {
        separate()
        writer.append(written: text)
    }

    package mutating func member(_ name: StaticString, _ value: String?) {
        self.name(name)
        separate()
        if let value { writer.quote(value) } else { writer.append("null") }
    }

    package mutating func member(_ name: StaticString, _ value: Int?) {
        self.name(name)
        separate()
        if let value { writer.write(value) } else { writer.append("null") }
    }

    package mutating func member(_ name: StaticString, _ value: Bool) {
        self.name(name)
        separate()
        writer.append(value ? "true" : "false")
    }

    package mutating func member(_ name: StaticString, _ value: JSON) {
        self.name(name)
        separate()
        writer.write(value)
    }
}
