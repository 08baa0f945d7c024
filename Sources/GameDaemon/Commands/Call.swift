// One command on its way: who sent it, its words, and where the reply goes.

import GameFlow
import RESP

/// Belongs to a client, which uses it for one request after the other: so a request costs no memory of its own.
package final class Call {
    let daemon: Daemon
    unowned let client: Client
    let arguments: RequestArguments
    let reply: ReplyBuffer
    @exclusivity(unchecked) private(set) var command: Command

    init(_ client: Client, _ arguments: RequestArguments, of daemon: Daemon) {
        self.daemon = daemon
        self.client = client
        self.arguments = arguments
        reply = client.output
        command = .ping
    }

    /// Finds out what is wanted, and does it.
    func carryOut() {
        daemon.requestCount &+= 1
        do throws(CommandError) {
            try understand()
            try command.run(self)
        } catch {
            reply.append(error: error.code, error.sentence)
        }
    }

    private func understand() throws(CommandError) {
        let found = CommandTable.all.find(arguments[0])
        guard client.standing != .stranger || found?.flags.contains(.beforeAuthentication) == true else {
            throw .notAuthenticated
        }
        guard let command = found else { throw .unknownCommand(text(0)) }
        guard command.words.contains(arguments.count) else { throw .wrongCount(command) }
        guard !client.isSubscribed || reply.protocolVersion == .resp3 || command.flags.contains(.whileSubscribed) else {
            throw .subscribed
        }
        self.command = command
    }

    // MARK: Words

    var count: Int { arguments.count }

    /// A word as text. Names that are not UTF-8 are repaired, and so match nothing.
    func text(_ index: Int) -> String { arguments[index].repairedText }

    func session(_ index: Int = 1) throws(CommandError) -> Session {
        guard let session = daemon.sessions.find(arguments[index]) else { throw .noSession(text(index)) }
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

    /// `90s`, `1m30s`, or a number of milliseconds.
    func duration(_ index: Int) throws(CommandError) -> Duration {
        guard let duration = Duration(text: text(index)) else {
            throw CommandError(
                "ERR", "'\(text(index))' is no duration; it is like 90s, 1m30s, 250ms, -10s, or a number of milliseconds")
        }
        return duration
    }
}
