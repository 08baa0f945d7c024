// A request for a command, as values. It is read from words or from JSON, checked, and carried out; the result is a value, too.

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

    /// Reads a call's words and carries them out. A requirement, so that the compiler specializes it for each type.
    static var action: Command.Action { get }
}

extension CommandRequest {
    package static var action: Command.Action { { call throws(CommandError) in try call.execute(Self.self) } }

    package var session: ByteString? { nil }
    package static func read(_ call: Call) throws(CommandError) -> Self { try form.read(call) }
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
    case later(PendingAnswer<Value>)
}
