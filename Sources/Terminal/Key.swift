// Keys, read from the bytes that a terminal sends for them.

package enum Key: Equatable, Sendable {
    case character(Character)
    case enter, backspace, escape, tab, backTab
    case up, down, pageUp, pageDown, home
    /// ctrl-d: the end of the input.
    case end
    /// ctrl-u: clears the typed text.
    case clear
    /// Any other key.
    case other
}

/// Reads keys from bytes that arrive in chunks of any size.
package struct KeyReader {
    private var rest: [UInt8] = []

    package init() {}

    package mutating func read(_ bytes: some Sequence<UInt8>) -> [Key] {
        rest += bytes
        var keys: [Key] = []
        while let (key, length) = first() {
            keys.append(key)
            rest.removeFirst(length)
        }
        return keys
    }

    private func first() -> (Key, Int)? {
        guard let byte = rest.first else { return nil }
        switch byte {
        case 0x1b: return escapeSequence()
        case 0x0a, 0x0d: return (.enter, 1)
        case 0x09: return (.tab, 1)
        case 0x08, 0x7f: return (.backspace, 1)
        case 0x04: return (.end, 1)
        case 0x15: return (.clear, 1)
        case ..<0x20: return (.other, 1)
        default: return character()
        }
    }

    /// A terminal sends a sequence in one piece, so an escape with nothing after it is the key.
    private func escapeSequence() -> (Key, Int)? {
        guard rest.count > 1, rest[1] == UInt8(ascii: "[") || rest[1] == UInt8(ascii: "O") else { return (.escape, 1) }
        guard let end = rest.dropFirst(2).firstIndex(where: { (0x40...0x7e).contains($0) }) else {
            // A sequence that is never terminated is dropped.
            return rest.count > 16 ? (.other, rest.count) : nil
        }
        return (Self.key(of: String(decoding: rest[2...end], as: UTF8.self)), end + 1)
    }

    /// Reads the rest of a sequence after the escape and the bracket, or the O that some terminals send instead.
    private static func key(of sequence: String) -> Key {
        switch sequence {
        case "A": .up
        case "B": .down
        case "5~": .pageUp
        case "6~": .pageDown
        case "H", "1~", "7~": .home
        case "Z": .backTab
        default: .other
        }
    }

    private func character() -> (Key, Int)? {
        let length =
            switch rest[0] {
            case 0xf0...0xf4: 4
            case 0xe0...0xef: 3
            case 0xc2...0xdf: 2
            default: 1
            }
        // A keyboard of another encoding sends single bytes, which must not swallow the next keys.
        guard rest.prefix(length).dropFirst().allSatisfy({ $0 & 0xc0 == 0x80 }) else { return (.other, 1) }
        guard rest.count >= length else { return nil }
        guard let text = String(validating: rest[..<length], as: UTF8.self), let character = text.first else {
            return (.other, 1)
        }
        return (.character(character), length)
    }
}
