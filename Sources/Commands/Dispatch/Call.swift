// One call of a command: its client, its words, and where the reply goes.

import GameFlow
import Memory
import RESP
import Sessions
import Texts
import Timers

/// Belongs to a client and is reused for every request, so that a request allocates nothing.
package final class Call {
    let host: Host
    /// The host's, for the path of every event.
    private let sessions: Borrowed<Sessions>
    let reply: ReplyBuffer
    /// Where its events come from.
    @exclusivity(unchecked) var source: EventSource
    /// The client that sends them.
    @exclusivity(unchecked) var actor = ActorNumber.none
    @exclusivity(unchecked) private(set) var arguments = Words(RequestArguments())
    /// Commands live as long as the process.
    @exclusivity(unchecked) private var current: Borrowed<Command>
    @exclusivity(unchecked) private var likelySession = SessionTable.noSlot
    /// Replies of this command that are not its only one: confirmations and errors. EXEC counts them.
    @exclusivity(unchecked) var replies = 0
    /// The id of the event that is just sent; nil if it has none, and once it waits.
    @exclusivity(unchecked) var eventID: EventID?
    /// Whether this command is in the flight record.
    @exclusivity(unchecked) private var isMarked = false
    /// Owns the call, and outlives it.
    @exclusivity(unchecked) private var owner: Borrowed<Client>?

    init(of host: Host, _ reply: ReplyBuffer, from source: EventSource) {
        self.host = host
        sessions = Borrowed(host.sessions)
        current = Borrowed(host.commands.commands[0])
        self.reply = reply
        self.source = source
    }

    func belong(to client: Client) { owner = Borrowed(client) }

    var client: Client {
        guard let owner else { preconditionFailure("a call is made by its client") }
        return owner.object
    }

    var command: Command { current.object }

    /// Finds the command, checks it, and carries it out.
    package func carryOut(_ request: Request) {
        (arguments, likelySession) = (request.words, request.hint)
        host.requestCount &+= 1
        do throws(CommandError) {
            if try understand() {
                let run = current.with(\.run)
                try run(self)
            } else {
                try queue()
            }
        } catch {
            fail(error)
        }
        if isMarked { unmark() }
    }

    private func fail(_ error: CommandError) {
        let error = owner?.object.transaction == nil ? error : abortTransaction(error)
        reply.append(error: error.code, sentence(of: error))
        replies += 1
        if error.isDenial { host.denials.note(error, by: client, current.object.title(arguments)) }
    }

    func sentence(of error: CommandError) -> String { owner?.with { error.sentence(for: $0.grant) } ?? error.sentence }

    /// Carries out a command of a transaction. Returns how many replies it has: subscribing has one for each name.
    func repliesWhileCarryingOut(_ request: Request) -> Int {
        let outer = arguments
        replies = 0
        carryOut(request)
        arguments = outer
        return max(replies, 1)
    }

    /// Finds and checks the command. False if it is to be queued.
    private func understand() throws(CommandError) -> Bool {
        let word = arguments[0]
        // Clients mostly repeat the same command.
        if !current.with({ word.isWord($0.word) }) {
            guard let other = host.commands.find(word) else {
                throw client.trust == .stranger ? .notAuthenticated : .unknownCommand(quoted(0))
            }
            current = Borrowed(other)
        }
        let isRestricted = owner?.with(\.isRestricted) ?? false
        if isRestricted { try checkAuthentication() }
        let count = arguments.count
        guard current.with({ $0.words.contains(count) }) else { throw wrongCount() }
        if arguments.extent > Command.longestWord { try checkLengths() }
        if isRestricted || current.with({ $0.flags.contains(.isGuarded) }) { try checkPermission() }
        if host.isTroubled { try checkTrouble() }
        if let cluster = host.cluster { try checkOwner(in: cluster) }
        guard isRestricted else { return true }
        try checkSubscriptions()
        return client.transaction == nil || command.flags.contains(.inTransaction)
    }

    /// Far too many words are not looked at.
    private func wrongCount() -> CommandError {
        .wrongCount(command, (0..<min(count, command.words.upperBound + 4)).map(quoted))
    }

    private func checkAuthentication() throws(CommandError) {
        guard client.trust != .stranger || command.flags.contains(.beforeAuthentication) else { throw .notAuthenticated }
    }

    /// Bounds the words: names are compared, patterns matched, errors quote them.
    private func checkLengths() throws(CommandError) {
        for index in 1..<count where index != command.longWord && arguments[index].count > Command.longestWord {
            throw CommandError(
                .limit,
                "word \(index) behind \(command.name) has \(arguments[index].count) bytes; it may have \(Command.longestWord)")
        }
    }

    /// What commands need stands in their list; this is where it is asked for.
    private func checkPermission() throws(CommandError) {
        let (grant, needs) = (client.grant, command.needs(arguments))
        if grant.isLimited || needs.right.rawValue >= Right.orchestrate.rawValue {
            try grant.check(needs, for: command.title(arguments))
            if needs.reach == .session, count > 1 { try grant.check(arguments[1].bytes) }
        }
        // What is queued counts when it is carried out.
        if client.transaction == nil { try checkRate() }
    }

    private func checkSubscriptions() throws(CommandError) {
        guard !client.isSubscribed || reply.protocolVersion == .resp3 || command.flags.contains(.whileSubscribed) else {
            // EXEC may have subscribed just now; what it was given to do it does.
            if client.isExecuting { return }
            throw .subscribed
        }
    }

    /// While sessions are being restored nothing can be said about them; while the disk fails, nothing may change.
    private func checkTrouble() throws(CommandError) {
        guard let trouble = host.trouble else { return }
        let isMeant = host.isLoading ? command.group.isAboutSessions : command.flags.contains(.changes)
        if isMeant { throw trouble }
    }

    // MARK: The flight record

    /// Records that this command works on the session (or on one still to begin), until it is done.
    func mark(_ session: Session?) {
        guard let flight = host.sessions.flight else { return }
        let number = current.with(\.number)
        let mark = session?.withMachine { FlightMark(.command, number, of: $0) }
        _ = flight.enter(mark ?? FlightMark(.command, number, of: FlightMark.nowhere))
        isMarked = true
    }

    private func unmark() {
        host.sessions.flight?.leave(0)
        isMarked = false
    }

    /// Counts as so many requests of the turn, so that others are served before the next slow command.
    func takesAsLong(as requests: Int) { host.turns?.hasHandled(requests) }

    // MARK: Words

    var count: Int { arguments.count }

    /// A word as text. Invalid UTF-8 is repaired, so it matches nothing.
    func text(_ index: Int) -> String { arguments[index].repairedText }

    /// A session's name, as bytes.
    func name(_ index: Int) -> ByteString { ByteString(arguments[index].bytes) }

    /// A word of any length, shortened to be quoted in an error.
    func quoted(_ index: Int) -> String { arguments[index].beginning.repairedText.shortened }

    /// The session that the command is about, marked in the flight record: if the daemon dies now, its successor knows which session did it.
    func session(_ index: Int = 1) throws(CommandError) -> Session {
        let session = try unmarkedSession(index)
        mark(session)
        return session
    }

    /// The same for a command whose work is marked elsewhere.
    func unmarkedSession(_ index: Int = 1) throws(CommandError) -> Session {
        let hint = index == 1 ? likelySession : SessionTable.noSlot
        guard let session = sessions.with({ $0.find(arguments[index], hint: hint) }) else {
            let isForMaster = client.grant.isMaster(of: text(index))
            throw host.sessions.unrestored[name(index)].map { CommandError($0.error(isForMaster: isForMaster)) }
                ?? .noSession(quoted(index), for: client.grant)
        }
        if host.isInTheMiddle { host.advancing.touch(session.machine) }
        return session
    }

    func flow(_ index: Int = 1) throws(CommandError) -> FlowKind {
        let name = text(index)
        guard let flow = host.sessions.flow(named: name) else { throw .noFlow(name, host.sessions.flows) }
        return flow
    }

    /// The payload, JSON or a bare word; nil if there is none.
    func payload(_ index: Int) throws(CommandError) -> Payload? {
        guard index < count else { return nil }
        let bytes = arguments[index].bytes
        try checkLength(bytes)
        do throws(JSONError) {
            return try Payload(bytes: bytes)
        } catch {
            throw CommandError(.badEvent, "the payload is not JSON: \(error)")
        }
    }

    /// A pattern for names; it may need several bytes per byte of a name.
    func pattern(_ index: Int) throws(CommandError) -> ByteString {
        let longest = 4 * SessionName.longest
        guard arguments[index].count <= longest else {
            throw CommandError(.limit, "a pattern has \(longest) bytes at the most, and not \(arguments[index].count)")
        }
        return ByteString(arguments[index].bytes)
    }

    private func checkLength(_ payload: UnsafeRawBufferPointer) throws(CommandError) {
        let most = host.limits.payloadBytes
        guard payload.count > most else { return }
        throw .limit(\.payloadBytes, "a payload has \(most) bytes at most, and not \(payload.count)")
    }

    /// A count behind a word such as COUNT.
    func positive(_ index: Int) throws(CommandError) -> Int {
        guard index < count, let number = arguments[index].integer, number > 0 else {
            throw CommandError(.generic, "a positive whole number is missing; usage: \(command.syntax)")
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
            throw CommandError(.generic, Duration.complaint(about: quoted(index)))
        }
        return duration
    }
}
