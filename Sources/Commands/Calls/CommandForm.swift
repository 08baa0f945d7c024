// One form of a command: the words that it takes, read into a typed request.

import GameFlow
import Memory
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

    /// `make` gets the parameters' values in their order. One form of several has a word that tells it from the others, or none where any other
    /// word makes it this form: BACKUP with a path.
    init<each Value>(
        word: StaticString? = nil, needs: Needs? = nil, _ parameters: repeat CommandParameter<each Value>,
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

    /// Reads the words of a call, after their number has been checked.
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

// MARK: - A request for a command, as values

package protocol CommandRequest: SendableMetatype {
    associatedtype Value: ReplyValue

    static var form: CommandForm<Self> { get }
    static var command: Command { get }
    /// The session that it is about; nil if it is about none, or several.
    var session: ByteString? { get }

    func answer(to call: Call) throws(CommandError) -> CommandAnswer<Value>

    /// Reads a call's words and carries them out. A requirement, so that the compiler specializes it for each type.
    static var action: Command.Action { get }
}

extension CommandRequest {
    package static var action: Command.Action { { call throws(CommandError) in try call.execute(Self.self) } }

    package var session: ByteString? { nil }
    /// The rights that its sender needs.
    package static var needs: Needs { form.needs ?? command.needs }
}

/// A request about one session, which its first argument names.
package protocol SessionRequest: PromptRequest {
    var name: ByteString { get }
}

extension SessionRequest {
    package var session: ByteString? { name }
}

/// A request that is answered at once.
package protocol PromptRequest: CommandRequest {
    // Repeated here, so that the compiler infers it from `run`.
    associatedtype Value

    func run(_ call: Call) throws(CommandError) -> Value
}

extension PromptRequest {
    package func answer(to call: Call) throws(CommandError) -> CommandAnswer<Value> { .now(try run(call)) }
}

/// The reply to a request.
package enum CommandAnswer<Value: ReplyValue> {
    case now(Value)
    /// The reply comes later, when its work is done.
    case later(PendingValue<Value>)
}
