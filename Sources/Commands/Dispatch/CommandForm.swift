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
    /// The members of a JSON object that it can be read from.
    package let members: [CommandArgument]
    /// How many words it takes, without the command's name.
    let words: ClosedRange<Int>
    private let clauses: [ArgumentReader.Clause]
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
        var (arguments, members, clauses) = ([CommandArgument](), [CommandArgument](), [ArgumentReader.Clause]())
        var (least, most) = (word == nil ? 0 : 1, word == nil ? 0 : 1)
        for parameter in repeat each parameters {
            if let argument = parameter.argument { arguments.append(argument) }
            members += parameter.members
            if let clause = parameter.clause { clauses.append(clause) }
            least += parameter.words.lowerBound
            most += parameter.words.upperBound
        }
        (self.word, self.needs, words) = (word, needs, least...most)
        (self.arguments, self.members, self.clauses) = (arguments, members, clauses)
        self.make = { reader throws(CommandError) in
            let request = make(repeat try (each parameters).read(&reader))
            try reader.finish()
            return request
        }
        makeFromJSON = { json, limits throws(CommandError) in
            make(repeat try (each parameters).readJSON(json, limits))
        }
    }

    /// Reads the words of a call.
    func read(_ call: Call) throws(CommandError) -> Request {
        let own = word == nil ? 0 : 1
        var reader = ArgumentReader(call, from: 1 + own, needed: words.lowerBound - own, clauses: clauses)
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
