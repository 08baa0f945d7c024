// One call of a command: its client, its words, and where the reply goes.

import GameFlow
import Memory
import RESP
import Sessions

/// Belongs to a client and is reused for every request, so that a request allocates nothing.
package final class Call {
    let host: Host
    /// The host's, for the path of every event.
    private let sessions: Borrowed<Sessions>
    let reply: ReplyBuffer
    /// Where its events come from.
    var source: EventSource
    /// The client that sends them.
    var actor = ActorNumber.none
    @exclusivity(unchecked) private(set) var arguments = Words(RequestArguments())
    /// Commands live as long as the process.
    private var current: Borrowed<Command>
    private var likelySession = SessionTable.noSlot
    /// Replies of this command that are not its only one: confirmations and errors. EXEC counts them.
    var replies = 0
    /// Whether this command is in the flight record.
    private var isMarked = false
    /// Owns the call, and outlives it.
    private var owner: Borrowed<Client>?

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
    package func execute(_ request: Request) {
        host.countRequest()
        do throws(CommandError) {
            try begin(request)
            if try check() {
                try current.with { command in Result { () throws(CommandError) in try command.run(self) } }.get()
            } else {
                try queue()
            }
        } catch {
            fail(error)
        }
        if isMarked { unmark() }
    }

    /// Takes over the words, which their owner keeps, and finds their command.
    @inline(__always)
    func begin(_ request: Request) throws(CommandError) {
        (arguments, likelySession) = (request.words, request.hint)
        let word = arguments[0]
        // Clients mostly repeat the same command.
        guard !current.with({ word.isWord($0.word) }) else { return }
        current = Borrowed(try findCommand())
    }

    private func findCommand() throws(CommandError) -> Command {
        if let found = host.commands.find(arguments[0]) { return found }
        throw client.trust == .unauthenticated ? .notAuthenticated : .unknownCommand(quoted(0))
    }

    /// Reads the words into a request, runs it, and writes its reply.
    func execute<Request: CommandRequest>(_: Request.Type) throws(CommandError) {
        deliver(try Request.form.read(self).answer(to: self))
    }

    /// Writes the reply, now or later. It consumes the answer: the caller would destroy a borrowed one case by case.
    @inline(__always)
    func deliver<Value: ReplyValue>(_ answer: consuming CommandAnswer<Value>) {
        switch consume answer {
        case .now(let value):
            replies += value.replyCount
            value.write(to: reply)
        case .later(let answer):
            client.wait(for: answer)
        }
    }

    private func fail(_ error: CommandError) {
        replies += 1
        if let encoded = error.encoded, owner?.with({ $0.transaction == nil }) ?? true { return reply.append(encoded) }
        let error = owner?.object.transaction == nil ? error : abortTransaction(error)
        reply.append(error: error.code, sentence(of: error))
        recordDenial(error)
    }

    /// Logs that this command was refused to its sender, if it was.
    func recordDenial(_ error: CommandError) {
        if error.isDenial { host.denials.record(error, by: client, current.object.title(arguments)) }
    }

    func sentence(of error: CommandError) -> String { owner?.with { error.sentence(for: $0.grant) } ?? error.sentence }

    /// Checks a request from within the process, carries it out, and hands over its value or its error: at once, or when that has come.
    package func perform<Request: CommandRequest>(
        _ request: Request, _ then: @escaping (Result<Request.Value, CommandError>) -> Void
    ) {
        let command = Request.command
        (current, likelySession) = (Borrowed(command), SessionTable.noSlot)
        host.countRequest()
        let answer = Result { () throws(CommandError) in
            try check(request)
            return try request.answer(to: self)
        }
        if isMarked { unmark() }
        switch answer {
        case .success(.now(let value)): then(.success(value))
        case .success(.later(let pending)):
            if let result = pending.result {
                then(result)
            } else {
                client.wait(forReplyBy: AnswerHandler(pending, for: client, then))
            }
        case .failure(let error):
            if error.isDenial { host.denials.record(error, by: client, command.name) }
            then(.failure(error))
        }
        host.fireDueTimers()
    }

    /// Checks a request that was made without words.
    private func check<Request: CommandRequest>(_ request: Request) throws(CommandError) {
        let (grant, needs) = (client.grant, Request.needs)
        try grant.check(needs, for: Request.form.word.map { "\(command.name) \($0)" } ?? command.name)
        if let session = request.session, needs.reach == .session { try grant.check(session) }
        let isChange = command.changes(needing: needs)
        if isChange { try checkRate() }
        if host.isUnavailable { try checkAvailability(isChange: isChange) }
        if let session = request.session { try host.checkOwner(of: session) }
    }

    /// Carries out a command of a transaction. Returns how many replies it has: subscribing has one for each name.
    func executeCountingReplies(_ request: Request) -> Int {
        let outer = arguments
        replies = 0
        execute(request)
        arguments = outer
        return max(replies, 1)
    }

    /// Checks the words. False if they are to be queued.
    private func check() throws(CommandError) -> Bool {
        let isRestricted = owner?.with(\.isRestricted) ?? false
        if isRestricted { try checkAuthentication() }
        let count = arguments.count
        guard current.with({ $0.words.contains(count) }) else { throw wrongCount() }
        if arguments.extent > Command.maxWordLength { try checkLengths() }
        if isRestricted || current.with({ $0.flags.contains(.isGuarded) }) { try checkPermission() }
        if host.isUnavailable { try checkAvailability(isChange: command.changes(needing: command.needs(arguments))) }
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
        guard client.trust != .unauthenticated || command.flags.contains(.beforeAuthentication) else { throw .notAuthenticated }
    }

    /// Bounds the words: names are compared, patterns matched, errors quote them.
    private func checkLengths() throws(CommandError) {
        for index in 1..<count where index != command.longWord && arguments[index].count > Command.maxWordLength {
            throw CommandError(
                .limit,
                "word \(index) after \(command.name) has \(arguments[index].count) bytes; the maximum is \(Command.maxWordLength)"
            )
        }
    }

    /// Checks the permission that the command's definition requires.
    private func checkPermission() throws(CommandError) {
        let (grant, needs) = (client.grant, command.needs(arguments))
        if grant.isLimited || needs.right.rawValue >= Right.orchestrate.rawValue {
            try grant.check(needs, for: command.title(arguments))
            if needs.reach == .session, count > 1 { try grant.check(arguments[1].bytes) }
        }
        // Queued commands count against the rate when they run.
        if client.transaction == nil, command.changes(needing: needs) { try checkRate() }
    }

    private func checkSubscriptions() throws(CommandError) {
        guard !client.isSubscribed || reply.protocolVersion == .resp3 || command.flags.contains(.whileSubscribed) else {
            // EXEC may have subscribed just now; it still runs its remaining commands.
            if client.isExecuting { return }
            throw .subscribed
        }
    }

    /// Throws if sessions are unavailable: all commands about them during a load, changes while the disk fails.
    private func checkAvailability(isChange: Bool) throws(CommandError) {
        guard let unavailability = host.unavailability else { return }
        if host.isLoading ? command.group.isAboutSessions : isChange { throw unavailability }
    }

    // MARK: The flight record

    /// Records that this command works on the session (or on one still to begin), until it is done.
    func mark(_ session: Session?) {
        guard let flight = host.sessions.flightRecorder else { return }
        let number = current.with(\.number)
        let mark = session?.withMachine { FlightMark(.command, number, of: $0) }
        _ = flight.enter(mark ?? FlightMark(.command, number, of: FlightMark.noSlot))
        isMarked = true
    }

    private func unmark() {
        host.sessions.flightRecorder?.leave(0)
        isMarked = false
    }

    /// Charges the turn for this many requests, so that other clients are served before the next slow command.
    func charge(requests: Int) {
        if client.isExecuting, host.mayHaveTakenLong { client.mayHaveTakenLong = true }
        host.turns?.charge(pieces: requests)
    }

    // MARK: Words

    /// How many words there are, the command's name included.
    var count: Int { arguments.count }

    /// A word of any length, shortened to be quoted in an error.
    func quoted(_ index: Int) -> String { arguments[index].quoted }

    // MARK: Sessions and flows

    /// The session that the command is about, marked in the flight record: if the daemon dies now, its successor knows which session did it.
    func session(_ name: ByteString) throws(CommandError) -> Session {
        let session = try unmarkedSession(name)
        mark(session)
        return session
    }

    /// The same for a command that marks its work elsewhere.
    func unmarkedSession(_ name: ByteString) throws(CommandError) -> Session {
        try name.withBytes { name in Result { () throws(CommandError) in try unmarkedSession(Argument(name)) } }.get()
    }

    func unmarkedSession(_ name: Argument) throws(CommandError) -> Session {
        guard let session = sessions.with({ $0.find(name, hint: likelySession) }) else { throw missing(name) }
        if host.isMidInstant { host.advances.prepareForRequest(about: session.machine) }
        return session
    }

    private func missing(_ name: Argument) -> CommandError {
        let (name, sessions) = (ByteString(name.bytes), host.sessions)
        guard let aside = sessions.setAsideSessions[name] else { return .noSession(name, for: client.grant, in: sessions) }
        return CommandError(aside.error(isForMaster: client.grant.isMaster(of: name.text)))
    }
}
