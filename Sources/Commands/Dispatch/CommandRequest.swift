// What a client asks for, as values: it is read from words or from JSON, checked, and carried out into a value.

import Memory
import RESP

package protocol CommandRequest: SendableMetatype {
    associatedtype Value: ReplyValue

    static var form: CommandForm<Self> { get }
    static var command: Command { get }
    /// The session that it is about; nil if it is about none, or several.
    var session: ByteString? { get }

    /// Reads the words of a call, whose number has been checked.
    static func read(_ call: Call) throws(CommandError) -> Self
    func answer(to call: Call) throws(CommandError) -> CommandAnswer<Value>

    /// Carries out what a call's words ask. Required, so that it is compiled for each type, and not once for all.
    static var action: Command.Action { get }
}

extension CommandRequest {
    package static var action: Command.Action { { call throws(CommandError) in try call.carryOut(Self.self) } }

    package var session: ByteString? { nil }
    package static func read(_ call: Call) throws(CommandError) -> Self { try form.read(call) }
    /// What it needs of its sender.
    package static var needs: Needs { form.needs ?? command.needs }
}

/// One that is answered at once.
package protocol PromptRequest: CommandRequest {
    // Said again, so that it follows from `run`.
    associatedtype Value

    func run(_ call: Call) throws(CommandError) -> Value
}

extension PromptRequest {
    package func answer(to call: Call) throws(CommandError) -> CommandAnswer<Value> { .now(try run(call)) }
}

/// What a command has answered.
package enum CommandAnswer<Value: ReplyValue> {
    case now(Value)
    /// It comes later, when what it waits for is done.
    case later(PendingAnswer<Value>)
}
