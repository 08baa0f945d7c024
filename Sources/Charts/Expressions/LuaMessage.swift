// What Lua says is wrong, as a sentence for people who write flows.

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
        case .tooDeep: "has functions that call each other more than \(GL_CALL_DEPTH.rawValue) deep"
        case .message: reworded(failure.message, names)
        }
    }

    private static func reworded(_ message: String, _ names: [ShownName]) -> String {
        var text = withoutPlace(message)
        if text.contains("stack overflow") { return "is nested too deeply" }
        for name in names { text = text.replacing("'\(name.inLua)'", with: "'\(name.shown)'") }
        for (word, better) in words { text = text.replacing(word, with: better) }
        return text.printable
    }

    /// Without `e:1: `, which Lua puts before most of its messages.
    private static func withoutPlace(_ message: String) -> String {
        guard message.hasPrefix("e:"), let end = message.firstRange(of: ": ") else { return message }
        return String(message[end.upperBound...])
    }

    private static let words = [
        ("attempt to perform arithmetic on", "cannot calculate with"),
        ("attempt to perform bitwise operation on", "cannot calculate with"),
        ("attempt to perform 'n//0'", "divides an integer by zero"),
        ("attempt to perform 'n%%0'", "divides an integer by zero"),
        ("attempt to concatenate", "cannot join"), ("attempt to compare", "cannot compare"), ("attempt to call", "cannot call"),
        ("attempt to index", "cannot take a field of"), ("attempt to get length of", "cannot take the length of"),
        ("attempt to assign to", "cannot assign to"), ("(local '", "('"), ("(upvalue '", "('"), ("(field '", "('"),
        ("(constant '", "('"),
        ("a userdata value", "a library"), ("<eof>", "the end"),
    ]
}
