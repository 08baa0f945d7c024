// One form of a command: the words that it takes, read into a typed request.

import GameFlow
import RESP

/// Most commands have one form. Those with several tell them apart by a word: CONFIG GET, CONFIG SET.
package struct CommandForm<Request>: Sendable {
    let word: StaticString?
    /// The rights that its sender needs, if they differ from the command's.
    let needs: Needs?
    /// The arguments after the word.
    package let arguments: [CommandArgument]
    /// How many words it takes, without the command's name.
    let words: ClosedRange<Int>
    let hasKeywords: Bool
    private let make: @Sendable (inout ArgumentReader) throws(CommandError) -> Request
    private let makeFromJSON: @Sendable (JSON, Limits) throws(CommandError) -> Request

    /// `make` gets the parameters' values in their order.
    init<each Value>(
        _ parameters: repeat CommandParameter<each Value>, make: @escaping @Sendable (repeat each Value) -> Request
    ) {
        self.init(word: nil, needs: nil, repeat each parameters, make: make)
    }

    /// The same for one form of several, with the word that tells it from the others.
    init<each Value>(
        _ word: StaticString, needs: Needs? = nil, _ parameters: repeat CommandParameter<each Value>,
        make: @escaping @Sendable (repeat each Value) -> Request
    ) {
        self.init(word: word, needs: needs, repeat each parameters, make: make)
    }

    /// The same without a word, for a form whose rights differ: BACKUP with a path.
    init<each Value>(
        word: StaticString?, needs: Needs?, _ parameters: repeat CommandParameter<each Value>,
        make: @escaping @Sendable (repeat each Value) -> Request
    ) {
        var (arguments, least, most, hasKeywords) = ([CommandArgument](), 0, 0, false)
        for parameter in repeat each parameters {
            arguments.append(parameter.argument)
            least += parameter.words.lowerBound
            most += parameter.words.upperBound
            hasKeywords = hasKeywords || parameter.isKeyword
        }
        (self.word, self.needs, self.arguments, self.hasKeywords) = (word, needs, arguments, hasKeywords)
        let own = word == nil ? 0 : 1
        words = least + own...most + own
        self.make = { reader throws(CommandError) in
            let request = make(repeat try (each parameters).read(&reader))
            try reader.finish()
            return request
        }
        makeFromJSON = { json, limits throws(CommandError) in
            make(repeat try (each parameters).readJSON(json[(each parameters).argument.member], limits))
        }
    }

    /// For arguments that `make` reads by itself. Such a form cannot be read from JSON.
    init(
        _ word: StaticString? = nil, needs: Needs? = nil, arguments: [CommandArgument], words: ClosedRange<Int>,
        make: @escaping @Sendable (inout ArgumentReader) throws(CommandError) -> Request
    ) {
        (self.word, self.needs, self.arguments, self.words, hasKeywords) = (word, needs, arguments, words, false)
        self.make = make
        makeFromJSON = { _, _ throws(CommandError) in throw CommandError(.generic, "this command cannot be given as JSON") }
    }

    /// Reads the words of a call.
    func read(_ call: Call) throws(CommandError) -> Request {
        var reader = ArgumentReader(call, from: word == nil ? 1 : 2, hasKeywords: hasKeywords)
        return try make(&reader)
    }

    /// Reads a JSON object with a member for each argument.
    package func read(_ json: JSON, within limits: Limits) throws(CommandError) -> Request { try makeFromJSON(json, limits) }

    /// The word and its arguments as one argument; nil if there are none.
    var argument: CommandArgument? {
        if let word { return .keyword(word.description, arguments) }
        guard let first = arguments.first else { return nil }
        return arguments.count == 1 ? first : CommandArgument(first.name, .block(arguments))
    }
}
