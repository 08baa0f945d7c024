// One command on its way: who sent it, its words, and where the reply goes.

import GameFlow
import RESP
import Sessions
import Texts

/// Belongs to a client, which uses it for one request after the other: so a request costs no memory of its own.
package final class Call {
    let host: Host
    let reply: ReplyBuffer
    /// The side from which it comes.
    let source: EventSource
    @exclusivity(unchecked) private(set) var arguments = Words(RequestArguments())
    /// Commands live as long as the process.
    @exclusivity(unchecked) private var current: Unmanaged<Command>
    @exclusivity(unchecked) private var likelySession = SessionTable.noSlot
    /// Whether it stands somewhere that this command is being carried out.
    @exclusivity(unchecked) private var isMarked = false
    /// It has the call, and outlives it.
    @exclusivity(unchecked) private var owner: Unmanaged<Client>?

    init(of host: Host, _ reply: ReplyBuffer, from source: EventSource) {
        self.host = host
        current = .passUnretained(host.commands.commands[0])
        self.reply = reply
        self.source = source
    }

    func belong(to client: Client) { owner = .passUnretained(client) }

    var client: Client {
        guard let owner else { preconditionFailure("a call is made by its client") }
        return owner.takeUnretainedValue()
    }

    var command: Command { current.takeUnretainedValue() }

    /// Finds out what is wanted, and does it.
    package func carryOut(_ request: Request) {
        (arguments, likelySession) = (request.words, request.hint)
        host.requestCount &+= 1
        do throws(CommandError) {
            try understand()
            let run = current._withUnsafeGuaranteedRef(\.run)
            try run(self)
        } catch {
            reply.append(error: error.code, error.sentence)
        }
        if isMarked { unmark() }
    }

    private func understand() throws(CommandError) {
        let word = arguments[0]
        // Whoever says something says it again, mostly.
        if !current._withUnsafeGuaranteedRef({ word.isWord($0.word) }) {
            guard let other = host.commands.find(word) else {
                throw client.standing == .stranger ? .notAuthenticated : .unknownCommand(quoted(0))
            }
            current = .passUnretained(other)
        }
        let isRestricted = owner?._withUnsafeGuaranteedRef(\.isRestricted) ?? false
        if isRestricted { try checkStanding() }
        let count = arguments.count
        guard current._withUnsafeGuaranteedRef({ $0.words.contains(count) }) else { throw .wrongCount(command) }
        if arguments.extent > Command.longestWord { try checkLengths() }
        if current._withUnsafeGuaranteedRef({ $0.flags.contains(.administers) }) { try checkAdministering() }
        if host.isTroubled { try checkTrouble() }
        if isRestricted { try checkSubscriptions() }
    }

    private func checkStanding() throws(CommandError) {
        guard client.standing != .stranger || command.flags.contains(.beforeAuthentication) else { throw .notAuthenticated }
    }

    /// What may be done with a word takes the longer, the longer it is: a name is compared, a pattern is matched, a sentence quotes it.
    private func checkLengths() throws(CommandError) {
        for index in 1..<count where index != command.longWord && arguments[index].count > Command.longestWord {
            throw CommandError(
                "LIMIT",
                "word \(index) behind \(command.name) has \(arguments[index].count) bytes; it may have \(Command.longestWord)")
        }
    }

    /// Guests may do with sessions what they like, and with the daemon nothing.
    private func checkAdministering() throws(CommandError) {
        guard client.standing != .trusted, let form = command.administration(arguments) else { return }
        throw CommandError("NOPERM", "\(form.deed) over the UNIX socket, or by a client that has said the token")
    }

    private func checkSubscriptions() throws(CommandError) {
        guard !client.isSubscribed || reply.protocolVersion == .resp3 || command.flags.contains(.whileSubscribed) else {
            throw .subscribed
        }
    }

    /// While sessions are being restored there is nothing to say of them; while the disk takes nothing, nothing may change.
    private func checkTrouble() throws(CommandError) {
        guard let trouble = host.trouble else { return }
        let isMeant = host.isLoading ? command.group.isAboutSessions : command.flags.contains(.changes)
        if isMeant { throw trouble }
    }

    // MARK: The flight record

    /// From now on, until the command is done, it is what is being carried out on that session, or on one that is not there yet.
    func mark(_ session: Session?) {
        guard let flight = host.sessions.flight else { return }
        let number = current._withUnsafeGuaranteedRef(\.number)
        let mark = session?.withMachine { FlightMark(.command, number, of: $0) }
        _ = flight.enter(mark ?? FlightMark(.command, number, of: FlightMark.nowhere))
        isMarked = true
    }

    private func unmark() {
        host.sessions.flight?.leave(0)
        isMarked = false
    }

    /// It takes as long as so many requests do: others have their turn before the next of this kind.
    func takesAsLong(as requests: Int) { host.turns?.hasHandled(requests) }

    // MARK: Words

    var count: Int { arguments.count }

    /// A word as text. Names that are not UTF-8 are repaired, and so match nothing.
    func text(_ index: Int) -> String { arguments[index].repairedText }

    /// A session's name, as the bytes that it is.
    func name(_ index: Int) -> ByteString { ByteString(arguments[index].bytes) }

    /// What an error says of a word that may have any length.
    func quoted(_ index: Int) -> String { arguments[index].beginning.repairedText.shortened }

    /// The session that a command is about. If the daemon dies before that is done, the next one knows of which session.
    func session(_ index: Int = 1) throws(CommandError) -> Session {
        let session = try unmarkedSession(index)
        mark(session)
        return session
    }

    /// The same, where what is done with it is marked by whoever does it.
    func unmarkedSession(_ index: Int = 1) throws(CommandError) -> Session {
        guard let session = host.sessions.find(arguments[index], near: likelySession) else {
            throw host.sessions.unrestored[name(index)]?.error ?? .noSession(quoted(index))
        }
        return session
    }

    func flow(_ index: Int = 1) throws(CommandError) -> FlowKind {
        let name = text(index)
        guard let flow = host.sessions.flow(named: name) else { throw .noFlow(name, host.sessions.flows) }
        return flow
    }

    /// What a client sent along, as JSON or as a bare word; nil if it sent nothing.
    func payload(_ index: Int) throws(CommandError) -> Payload? {
        guard index < count else { return nil }
        let bytes = arguments[index].bytes
        try checkLength(bytes)
        do throws(JSONError) {
            return try Payload(bytes: bytes)
        } catch {
            throw CommandError("BADEVENT", "the payload is no JSON: \(error)")
        }
    }

    /// A pattern for names; it may take several bytes for each of a name's.
    func pattern(_ index: Int) throws(CommandError) -> ByteString {
        let longest = 4 * SessionName.longest
        guard arguments[index].count <= longest else {
            throw CommandError("LIMIT", "a pattern has \(longest) bytes at the most, and not \(arguments[index].count)")
        }
        return ByteString(arguments[index].bytes)
    }

    private func checkLength(_ payload: UnsafeRawBufferPointer) throws(CommandError) {
        let most = host.limits.payloadBytes
        guard payload.count > most else { return }
        throw .limit(\.payloadBytes, "what comes with a command has \(most) bytes at most, and not \(payload.count)")
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
                "ERR", "'\(quoted(index))' is no duration; it is like 90s, 1m30s, 250ms, -10s, or a number of milliseconds")
        }
        return duration
    }
}
