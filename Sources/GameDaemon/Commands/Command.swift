// What a command is: its name, what it takes, what it is for, and what it does. One list serves the dispatcher, COMMAND DOCS and
// whoever else wants to explain it.

import GameFlow
import RESP

struct Command: Sendable {
    let name: String
    /// As people read it: `SEND session event [payload]`.
    let syntax: String
    let summary: String
    /// How many words it takes, the name included.
    let words: ClosedRange<Int>
    /// Whether a RESP2 connection that is subscribed may still send it.
    var worksWhileSubscribed = false
    let run: @Sendable (Call) throws(CommandError) -> Void

    static let anyNumber = 1_000_000

    /// How Redis counts words: exactly n, or at least n with a minus.
    var arity: Int { words.lowerBound == words.upperBound ? words.lowerBound : -words.lowerBound }
}

/// One command on its way: who sent it, its words, and where the reply goes.
struct Call {
    let command: Command
    let daemon: Daemon
    let client: Client
    let arguments: RequestArguments

    var reply: ReplyBuffer { client.output }
    var count: Int { arguments.count }

    /// A word as text. Names that are not UTF-8 are repaired, and so match nothing.
    func text(_ index: Int) -> String { arguments[index].repairedText }

    func session(_ index: Int = 1) throws(CommandError) -> Session {
        let name = text(index)
        guard let session = daemon.sessions[name] else { throw .noSession(name) }
        return session
    }

    func flow(_ index: Int = 1) throws(CommandError) -> FlowType {
        let name = text(index)
        guard let flow = daemon.sessions.flow(named: name) else { throw .noFlow(name, daemon.sessions.flows) }
        return flow
    }

    /// What a client sent along, as JSON or as a bare word; nil if it sent nothing.
    func payload(_ index: Int) throws(CommandError) -> JSON? {
        guard index < count else { return nil }
        do throws(JSONError) {
            return try JSON(payload: text(index))
        } catch {
            throw CommandError("BADEVENT", "the payload is no JSON: \(error)")
        }
    }

    /// A count behind a word such as COUNT.
    func positive(_ index: Int) throws(CommandError) -> Int {
        guard index < count, let number = arguments[index].integer, number > 0 else {
            throw CommandError("ERR", "a whole number above zero is missing; the command is: \(command.syntax)")
        }
        return number
    }

    /// `[COUNT n]`, from `index` on.
    func optionalCount(from index: Int, else standard: Int) throws(CommandError) -> Int {
        guard index < count else { return standard }
        guard arguments[index].isWord("COUNT"), count == index + 2 else { throw .syntax(command.syntax) }
        return try positive(index + 1)
    }
}

/// The commands by name, in capitals or not.
struct CommandTable: Sendable {
    static let all: CommandTable = CommandTable(
        Command.flowCommands + Command.sessionCommands + Command.timerCommands + Command.redisCommands)

    let commands: [Command]
    private let byName: [String: Command]

    private init(_ commands: [Command]) {
        self.commands = commands.sorted { $0.name < $1.name }
        byName = Dictionary(commands.map { ($0.name, $0) }) { first, _ in first }
    }

    subscript(name: String) -> Command? { byName[name] ?? byName[name.uppercased()] }
}
