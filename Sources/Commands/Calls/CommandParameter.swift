// A parameter of a command: how words or members of a JSON object become its value, and how it is documented. One description serves all.

import GameFlow
import Memory
import RESP

package struct CommandParameter<Value>: Sendable {
    /// As it is documented; nil if it is not.
    let argument: CommandArgument?
    /// The members of a JSON object that it is read from.
    let members: [CommandArgument]
    /// How many words it takes.
    let words: ClosedRange<Int>
    /// Its keyword; nil if it has a place instead.
    let clause: ArgumentReader.Clause?
    let read: @Sendable (inout ArgumentReader) throws(CommandError) -> Value
    /// From a JSON object that has been checked; throws for a parameter for RESP clients only.
    let readJSON: @Sendable (JSON, Limits) throws(CommandError) -> Value

    init(
        _ argument: CommandArgument?, members: [CommandArgument]? = nil, words: ClosedRange<Int>,
        clause: ArgumentReader.Clause? = nil, read: @escaping @Sendable (inout ArgumentReader) throws(CommandError) -> Value,
        readJSON: @escaping @Sendable (JSON, Limits) throws(CommandError) -> Value = { _, _ throws(CommandError) in
            throw .notInJSON
        }
    ) {
        (self.argument, self.members, self.words) = (argument, members ?? argument.map { [$0] } ?? [], words)
        (self.clause, self.read, self.readJSON) = (clause, read, readJSON)
    }
}

/// How one word becomes a value.
package struct WordParser<Value>: Sendable {
    let type: ArgumentType
    let parse: @Sendable (Argument, ArgumentReader) throws(CommandError) -> Value
    let fromJSON: @Sendable (JSON, Limits) throws(CommandError) -> Value
}

extension WordParser {
    /// Reads words, for RESP clients only.
    init(type: ArgumentType, word: @escaping @Sendable (Argument, ArgumentReader) throws(CommandError) -> Value) {
        self.init(type: type, parse: word) { _, _ throws(CommandError) in throw .notInJSON }
    }

    /// Reads a word as text, with `�` for invalid UTF-8; in JSON it may be any value, such as a number.
    init(type: ArgumentType, text read: @escaping @Sendable (String) throws(CommandError) -> Value) {
        self.init(type: type) { word, _ throws(CommandError) in
            try read(word.repairedText)
        } fromJSON: { json, _ throws(CommandError) in
            try read(json.text ?? json.description)
        }
    }
}

// MARK: Words that must be there

extension CommandParameter {
    static func required(
        _ name: String, _ word: WordParser<Value>, _ summary: String = "", member: String? = nil
    ) -> CommandParameter {
        .required(CommandArgument(name, type: word.type, summary: summary, member: member), word)
    }

    static func required(_ argument: CommandArgument, _ word: WordParser<Value>) -> CommandParameter {
        CommandParameter(argument, words: 1...1) { reader throws(CommandError) in
            try word.parse(try reader.word(), reader)
        } readJSON: { json, limits throws(CommandError) in
            try word.fromJSON(json[argument.member] ?? .null, limits)
        }
    }

    // MARK: Words that may be there

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
        CommandParameter(argument, words: 0...1) { reader throws(CommandError) in
            guard let next = reader.optionalWord() else { return nil }
            return try word.parse(next, reader)
        } readJSON: { json, limits throws(CommandError) in
            try json.given(argument).map { member throws(CommandError) in try word.fromJSON(member, limits) }
        }
    }

    /// A keyword and a word: `COUNT n`.
    static func optional<Wrapped>(
        keyword: String, _ name: String, _ word: WordParser<Wrapped>, _ summary: String = ""
    ) -> CommandParameter where Value == Wrapped? {
        let argument = CommandArgument.keyword(
            keyword, [CommandArgument(name, type: word.type, summary: summary)], isOptional: true)
        return CommandParameter(argument, words: 0...2, clause: .init(keyword: keyword, words: 1)) {
            reader throws(CommandError) in
            guard var clause = reader.clause(keyword) else { return nil }
            return try word.parse(try clause.word(), reader)
        } readJSON: { json, limits throws(CommandError) in
            try json.given(argument).map { member throws(CommandError) in try word.fromJSON(member, limits) }
        }
    }

    /// A keyword and two words: `AUTH user token`.
    static func optional<First, Second, Wrapped>(
        keyword: String, _ first: CommandParameter<First>, _ second: CommandParameter<Second>,
        make: @escaping @Sendable (First, Second) -> Wrapped
    ) -> CommandParameter where Value == Wrapped? {
        let parts = [first.argument, second.argument].compactMap(\.self)
        let argument = CommandArgument.keyword(keyword, parts, isOptional: true)
        return CommandParameter(argument, words: 0...3, clause: .init(keyword: keyword, words: 2)) {
            reader throws(CommandError) in
            guard var clause = reader.clause(keyword) else { return nil }
            return make(try first.read(&clause), try second.read(&clause))
        }
    }
}

extension JSON {
    /// Nil if the member is not there, or null.
    func given(_ argument: CommandArgument) -> JSON? { self[argument.member].flatMap { $0 == .null ? nil : $0 } }
}

// MARK: Several words

extension CommandParameter {
    static func several<Element>(
        _ name: String, _ word: WordParser<Element>, atLeast least: Int, atMost most: Int = Command.anyNumber
    ) -> CommandParameter where Value == [Element] {
        .several(CommandArgument(name, isOptional: least == 0, isRepeated: true), word, atLeast: least, atMost: most)
    }

    static func several<Element>(
        _ argument: CommandArgument, _ word: WordParser<Element>, atLeast least: Int, atMost most: Int = Command.anyNumber
    ) -> CommandParameter where Value == [Element] {
        CommandParameter(argument, words: least...most) { reader throws(CommandError) in
            var values: [Element] = []
            for next in reader.several(atLeast: least) { values.append(try word.parse(next, reader)) }
            return values
        }
    }

    /// Pairs of words, `name value [name value …]`; of JSON one pair, as two members.
    static func pairs<First, Second>(
        _ name: String, _ first: CommandParameter<First>, _ second: CommandParameter<Second>, atMost most: Int
    ) -> CommandParameter where Value == [(First, Second)] {
        let parts = [first.argument, second.argument].compactMap(\.self)
        return CommandParameter(
            CommandArgument(name, .block(parts), isRepeated: true), members: parts, words: 2...2 * most
        ) { reader throws(CommandError) in
            var pairs: [(First, Second)] = []
            repeat { pairs.append((try first.read(&reader), try second.read(&reader))) } while reader.hasMore
            return pairs
        } readJSON: { json, limits throws(CommandError) in
            [(try first.readJSON(json, limits), try second.readJSON(json, limits))]
        }
    }
}

extension CommandParameter<Void> {
    /// Further words, which mean nothing here.
    static let ignored = CommandParameter(nil, words: 0...Command.anyNumber) { reader throws(CommandError) in
        _ = reader.several(atLeast: 0)
    }
}

extension CommandParameter<Bool> {
    /// A literal word that may be there.
    static func flag(_ word: String, _ summary: String = "") -> CommandParameter {
        var argument = CommandArgument.word(word, isOptional: true)
        (argument.type, argument.summary) = (.flag, summary)
        return CommandParameter(argument, words: 0...1, clause: .init(keyword: word, words: 0)) {
            reader throws(CommandError) in
            reader.clause(word) != nil
        } readJSON: { [argument] json, _ throws(CommandError) in
            json[argument.member] == true
        }
    }
}

extension CommandParameter<ByteString> {
    /// The session that the command is about.
    static var session: CommandParameter { .required("session", .bytes, "the session's name") }
}
