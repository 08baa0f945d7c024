// A parameter of a command: how a word or a JSON value becomes its value, and how it is documented. One description serves both.

import GameFlow
import Memory
import RESP
import Sessions
import Texts
import Timers

package struct CommandParameter<Value>: Sendable {
    let argument: CommandArgument
    /// How many words it takes.
    let words: ClosedRange<Int>
    let isKeyword: Bool
    let read: @Sendable (inout ArgumentReader) throws(CommandError) -> Value
    /// From a member of a JSON object that has been checked; nil if there is none.
    let readJSON: @Sendable (JSON?, Limits) throws(CommandError) -> Value
}

/// How one word becomes a value.
package struct WordParser<Value>: Sendable {
    let type: ArgumentType
    let parse: @Sendable (Argument, ArgumentReader) throws(CommandError) -> Value
    let fromJSON: @Sendable (JSON, Limits) throws(CommandError) -> Value
}

// MARK: Places

extension CommandParameter {
    /// A word that must be there.
    static func required(
        _ name: String, _ word: WordParser<Value>, _ summary: String = "", member: String? = nil
    ) -> CommandParameter {
        CommandParameter(
            argument: CommandArgument(name, type: word.type, summary: summary, member: member), words: 1...1, isKeyword: false
        ) { reader throws(CommandError) in
            try word.parse(try reader.word(), reader)
        } readJSON: { json, limits throws(CommandError) in
            try word.fromJSON(json ?? .null, limits)
        }
    }

    /// A word that may be there.
    static func optional<Wrapped>(
        _ name: String, _ word: WordParser<Wrapped>, _ summary: String = "", member: String? = nil
    ) -> CommandParameter where Value == Wrapped? {
        .optional(CommandArgument(name, isOptional: true, type: word.type, summary: summary, member: member), word)
    }

    /// One of these words, or none of them.
    static func optional<Wrapped: RawRepresentable & CaseIterable & Sendable>(
        choice _: Wrapped.Type
    ) -> CommandParameter where Value == Wrapped?, Wrapped.RawValue == String {
        .optional(.choice(Wrapped.allCases.map { $0.rawValue.uppercased() }, isOptional: true), .choice())
    }

    private static func optional<Wrapped>(
        _ argument: CommandArgument, _ word: WordParser<Wrapped>
    ) -> CommandParameter where Value == Wrapped? {
        CommandParameter(argument: argument, words: 0...1, isKeyword: false) { reader throws(CommandError) in
            guard let next = try reader.optionalWord() else { return nil }
            return try word.parse(next, reader)
        } readJSON: { json, limits throws(CommandError) in
            guard let json, json != .null else { return nil }
            return try word.fromJSON(json, limits)
        }
    }

    /// A keyword and a word, which may be there: `COUNT n`.
    static func optional<Wrapped>(
        keyword: String, _ name: String, _ word: WordParser<Wrapped>, _ summary: String = ""
    ) -> CommandParameter where Value == Wrapped? {
        let argument = CommandArgument(name, type: word.type, summary: summary)
        return CommandParameter(
            argument: .keyword(keyword, [argument], isOptional: true), words: 0...2, isKeyword: true
        ) { reader throws(CommandError) in
            guard let next = reader.value(after: keyword) else { return nil }
            return try word.parse(next, reader)
        } readJSON: { json, limits throws(CommandError) in
            guard let json, json != .null else { return nil }
            return try word.fromJSON(json, limits)
        }
    }

    /// All words that follow.
    static func several<Element>(
        _ name: String, _ word: WordParser<Element>, atLeast least: Int, atMost most: Int = Command.anyNumber
    ) -> CommandParameter where Value == [Element] {
        let argument = CommandArgument(name, isOptional: least == 0, isRepeated: true)
        return CommandParameter(argument: argument, words: least...most, isKeyword: false) {
            reader throws(CommandError) in
            var values: [Element] = []
            for next in reader.rest() { values.append(try word.parse(next, reader)) }
            return values
        } readJSON: { json, limits throws(CommandError) in
            guard case .array(let list) = json else { return [] }
            var values: [Element] = []
            for element in list { values.append(try word.fromJSON(element, limits)) }
            return values
        }
    }
}

extension CommandParameter<Bool> {
    /// A literal word that may be there.
    static func flag(_ word: String, _ summary: String = "") -> CommandParameter {
        var argument = CommandArgument.word(word, isOptional: true)
        (argument.type, argument.summary) = (.flag, summary)
        return CommandParameter(argument: argument, words: 0...1, isKeyword: false) { reader throws(CommandError) in
            try reader.flag(word)
        } readJSON: { json, _ throws(CommandError) in
            json == true
        }
    }
}

extension CommandParameter<ByteString> {
    /// The session that the command is about.
    static var session: CommandParameter { .required("session", .bytes, "the session's name") }
}
