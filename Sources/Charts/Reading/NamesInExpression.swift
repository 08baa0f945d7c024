// Names of states and timers that an expression has as texts: `state("a.b")`, `remaining("round")`.

import Texts

enum NamesInExpression {
    /// The first that does not exist. What stands in texts and comments of the expression is no call.
    static func fault(in text: String, states: [String: Int], timers: TimerTable) -> ExpressionFault? {
        guard text.contains("state") || text.contains("remaining") else { return nil }
        var words = LuaWords(text)
        var before: [LuaWords.Word] = []
        while let word = words.next() {
            if case .text(let name) = word.kind, let function = before.function {
                if function == "state", states[name] == nil {
                    return ExpressionFault(
                        offset: word.offset,
                        sentence: "there is no state \(name.quoted); \(states.keys.sorted().nearest(to: name))")
                }
                if function == "remaining", timers.numbers[name] == nil {
                    return ExpressionFault(
                        offset: word.offset, sentence: "there is no timer \(name.quoted); \(timers.advice(for: name))")
                }
            }
            before.append(word)
            if before.count > 3 { before.removeFirst() }
        }
        return nil
    }
}

extension [LuaWords.Word] {
    /// The function that is called with what comes next: `state(` or `state`.
    fileprivate var function: String? {
        let words = last?.kind == .mark(UInt8(ascii: "(")) ? dropLast() : self[...]
        guard case .name(let name)? = words.last?.kind else { return nil }
        let isMember = words.dropLast().last.map { $0.kind == .mark(UInt8(ascii: ".")) || $0.kind == .mark(UInt8(ascii: ":")) }
        return isMember ?? false ? nil : name
    }
}

/// The words of a Lua expression, as far as is needed to find texts in it.
struct LuaWords {
    struct Word: Equatable {
        enum Kind: Equatable {
            case name(String)
            /// Without escapes: such a text is compared as it is written.
            case text(String)
            case mark(UInt8)
        }

        let kind: Kind
        let offset: Int
    }

    private let bytes: [UInt8]
    private var place = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    mutating func next() -> Word? {
        while place < bytes.count, bytes[place] <= 0x20 { place += 1 }
        guard place < bytes.count else { return nil }
        let start = place
        switch bytes[place] {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return Word(kind: .text(text()), offset: start)
        case let byte where byte.isPartOfLuaName:
            while place < bytes.count, bytes[place].isPartOfLuaName { place += 1 }
            return Word(kind: .name(String(decoding: bytes[start..<place], as: UTF8.self)), offset: start)
        default:
            place += 1
            return Word(kind: .mark(bytes[start]), offset: start)
        }
    }

    private mutating func text() -> String {
        let (quote, start) = (bytes[place], place + 1)
        place += 1
        while place < bytes.count, bytes[place] != quote { place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1 }
        let end = min(place, bytes.count)
        place = end + 1
        return String(decoding: bytes[min(start, end)..<end], as: UTF8.self)
    }
}

extension UInt8 {
    fileprivate var isPartOfLuaName: Bool {
        self | 0x20 &- 0x61 < 26 || self == 0x5F || self &- 0x30 < 10
    }
}
