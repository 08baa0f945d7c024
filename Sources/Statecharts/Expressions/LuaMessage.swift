// Lua's error messages as sentences for authors of flows.

import CLua
import Texts

/// A parameter's name in Lua, and what its expression calls it.
struct ShownName {
    var inLua: String
    var shown: String
}

enum LuaMessage {
    static func sentence(of failure: LuaFailure, names: [ShownName] = []) -> String {
        switch failure.kind {
        case .outOfMemory:
            "takes more memory than an expression has: 1 MiB at a time, 8 MiB in all, 64 KiB in one text"
        case .outOfSteps: "takes more than \(GL_STEPS.rawValue) steps; does it ever end?"
        case .overBudget: "with what the event did before takes more than \(ChartBounds.steps) steps"
        case .tooDeep: "has functions that call each other more than \(GL_CALL_DEPTH.rawValue) deep"
        case .message: reworded(failure.message, names)
        }
    }

    /// Whether the sentence is about the whole expression, and begins with a verb.
    static func isAboutWhole(_ failure: LuaFailure) -> Bool {
        failure.kind != .message || isOverflow(withoutPlace(failure.message))
    }

    /// Whether Lua expected more text.
    static func endsTooEarly(_ failure: LuaFailure) -> Bool {
        failure.message.hasSuffix("<eof>") && !failure.message.contains("unfinished")
    }

    private static func isOverflow(_ text: String) -> Bool {
        text.hasPrefix("stack overflow") || text.hasPrefix("C stack overflow")
    }

    private static func reworded(_ message: String, _ names: [ShownName]) -> String {
        let text = withoutPlace(message)
        if isOverflow(text) { return "is nested too deeply" }
        return withNameShown(withBetterBeginning(text), names).printable
    }

    /// Without `e:1: `, which Lua puts before most of its messages.
    private static func withoutPlace(_ message: String) -> String {
        guard message.hasPrefix("e:"), let end = message.utf8.dropFirst(2).firstIndex(of: UInt8(ascii: ":")) else {
            return message
        }
        return String(message[end...].dropFirst(2))
    }

    private static func withBetterBeginning(_ text: String) -> String {
        for (word, better) in beginnings where text.hasPrefix(word) { return better + text.dropFirst(word.count) }
        if text == "unexpected symbol near <eof>" { return "the expression ends too early" }
        return text.hasSuffix("<eof>") ? text.dropLast("<eof>".count) + "the end" : text
    }

    private static let beginnings = [
        ("attempt to perform arithmetic on", "cannot calculate with"),
        ("attempt to perform bitwise operation on", "cannot calculate with"),
        ("attempt to divide by zero", "divides an integer by zero"), ("attempt to perform 'n%0'", "divides an integer by zero"),
        ("attempt to concatenate", "cannot join"), ("attempt to compare", "cannot compare"), ("attempt to call", "cannot call"),
        ("attempt to index", "cannot take a field of"), ("attempt to get length of", "cannot take the length of"),
        ("attempt to assign to", "cannot assign to"), ("<eof> expected near", "unexpected"),
    ]

    /// `(local 'value1')`, at the end, says which value is wrong.
    private static func withNameShown(_ text: String, _ names: [ShownName]) -> String {
        guard text.utf8.last == UInt8(ascii: ")"), let start = text.utf8.lastIndex(of: UInt8(ascii: "(")) else { return text }
        let words = text[start...].dropFirst().dropLast().split(separator: " ", maxSplits: 1)
        guard words.count == 2, kinds.contains(String(words[0])), words[1].utf8.first == UInt8(ascii: "'") else { return text }
        let name = words[1].dropFirst().dropLast()
        let shown = names.first { $0.inLua == name }?.shown ?? String(name)
        return text[..<start] + "('" + shown + "')"
    }

    private static let kinds: Set<String> = ["local", "upvalue", "field", "constant", "global", "method"]
}
