// The commands that a client has queued since MULTI.

import Posix
import RESP

/// Holds the words of the queued commands, until EXEC carries them out or something drops them.
final class Transaction {
    private var requests = StoredRequests()
    /// The slot of the sessions that its commands name; nil if none has yet, or there is no cluster.
    private(set) var slot: Int?
    /// Whether a command was refused when it was to be queued: EXEC then carries out none.
    private(set) var isAborted = false

    var count: Int { requests.count }

    /// Roughly its memory, in bytes.
    var footprint: Int { requests.footprint + 128 }

    func add(_ words: Words, within limits: Limits) throws(CommandError) {
        guard count < limits.transactionCommands else {
            throw .limit(\.transactionCommands, "a transaction has \(limits.transactionCommands) commands at most")
        }
        guard requests.byteCount + words.extent <= limits.transactionBytes else {
            throw .limit(\.transactionBytes, "a transaction's commands have \(limits.transactionBytes) bytes at most")
        }
        requests.append(words)
    }

    /// In a cluster, all sessions that are named have one slot.
    func join(slot other: Int) throws(CommandError) {
        guard slot == nil || slot == other else { throw .crossSlot }
        slot = other
    }

    /// Discards the queued commands, which can no longer run.
    func abort() {
        isAborted = true
        requests.removeAll()
    }

    /// Lends each request, in order.
    func forEach(_ body: (Request) -> Void) { requests.forEach(body) }
}

extension Client {
    /// Queues commands from now on.
    func beginTransaction() {
        transaction = Transaction()
        countTransaction()
    }

    /// Forgets the queued commands, if there are any, and returns them.
    @discardableResult
    func endTransaction() -> Transaction? {
        defer {
            transaction = nil
            countTransaction()
        }
        return transaction
    }

    /// Recounts its memory.
    func countTransaction() {
        let now = transaction?.footprint ?? 0
        heldBytes += now - transactionBytes
        transactionBytes = now
    }
}

extension Call {
    /// Adds this command to its client's transaction.
    func queue() throws(CommandError) {
        if host.cluster != nil, let slot = try commonSlot() { try client.transaction?.join(slot: slot) }
        try client.transaction?.add(arguments, within: host.limits)
        client.countTransaction()
        reply.append(.queued)
    }

    /// A command was refused: EXEC will carry out none. Where EXEC itself was refused, as with words too many, that is its answer.
    func abortTransaction(_ error: CommandError) -> CommandError {
        guard !arguments[0].isWord(Command.exec.word) else {
            client.endTransaction()
            return CommandError(.executionAborted, "Transaction discarded because of: \(error.sentence)")
        }
        client.transaction?.abort()
        client.countTransaction()
        return error
    }
}

extension EncodedReply {
    fileprivate static let queued = EncodedReply(simple: "QUEUED")
}

// MARK: - EXEC: the one place where a transaction's commands are carried out and their replies collected.

/// Carries out the commands of a transaction in one go: nothing of others comes in between but timers that the commands make due.
/// Their replies are collected in the output, behind the header of their array.
struct Execution: ~Copyable {
    private let call: Call
    private let transaction: Transaction
    private let reply: ReplyBuffer
    /// Where the replies' header is in the output.
    private let start: Int
    /// How many replies there are; a command that subscribes has several.
    private var replies = 0
    /// Whether they are more than a client may leave unread: then they are dropped, and the commands carried out all the same.
    private var isTooLong = false
    /// The turn's pieces of work before the first command.
    private let piecesBefore: Int
    /// Processor time of changes, and of reads that evaluate long expressions.
    private var (time, timeOfReads) = (LongWork(), LongWork())
    /// How many commands that only read were executed, and how many of them wait for their replies, which may be long.
    private var (reads, pendingReads) = (0, 0)

    // The bounds after which commands that only read are refused: a change has to be made in this turn, and takes little.
    private static let maxPieces = 2_048
    private static let maxPendingReads = 4
    /// This many are executed however long they take, which differs between machines, unless they evaluate long expressions.
    private static let freeReads = 16

    init(of transaction: Transaction, by call: Call) {
        (self.transaction, self.call, reply) = (transaction, call, call.reply)
        start = call.reply.count
        piecesBefore = call.host.turns?.pieces ?? 0
        call.host.advances.beginTransaction()
    }

    consuming func run() {
        let client = call.client
        reply.append(arrayOf: transaction.count)
        client.beginExecution()
        executeAll()
        let length = reply.count
        finish()
        client.waitForAnswersInExecution(isTooLong || client.isGone ? nil : start, movedBy: reply.count - length)
        client.endExecution()
        call.charge(requests: transaction.count)
    }

    private mutating func executeAll() { transaction.forEach { execute($0) } }

    private mutating func execute(_ request: Request) {
        let before = reply.count
        let isReading = isReading(request)
        if time.isUp || isReading && isOverdrawn {
            refuse()
        } else {
            time.begin()
            timeOfReads.begin()
            call.client.mayHaveTakenLong = false
            executeCounting(request, isReading)
            let mayBeLong = call.client.mayHaveTakenLong || call.host.mayHaveTakenLong
            let makesDue = call.host.turns != nil && call.host.timekeeper.hasDue
            call.host.fireDueTimers()
            if isReading {
                if mayBeLong { timeOfReads.count(1, mayBeLong: true) }
            } else if !request.words[0].isWord(Command.advance.word) {
                time.count(1, mayBeLong: mayBeLong || makesDue)
            }
        }
        // A client that is cut off loses its output; its commands are carried out all the same.
        guard !call.client.isGone else { return reply.removeAll() }
        call.charge(requests: (reply.count - before) / 1_024)
        if reply.count - start > call.host.limits.outputBytes { isTooLong = true }
        if isTooLong { reply.removeLast(reply.count - start) }
    }

    private mutating func executeCounting(_ request: Request, _ isReading: Bool) {
        let pending = call.client.answersInExecution.count
        replies += call.executeCountingReplies(request)
        guard isReading else { return }
        reads += 1
        pendingReads += call.client.answersInExecution.count - pending
    }

    private var isOverdrawn: Bool {
        (call.host.turns?.pieces ?? 0) - piecesBefore > Self.maxPieces || pendingReads >= Self.maxPendingReads
            || timeOfReads.isUp || reads >= Self.freeReads && time.isUpForReading
    }

    private func isReading(_ request: Request) -> Bool {
        call.host.commands.find(request.words[0]).map { !$0.changes(needing: $0.needs(request.words)) } ?? true
    }

    private mutating func refuse() {
        reply.append(
            error: .limit, "the time budget of this EXEC is exhausted; send this command outside of MULTI, or in another one")
        replies += 1
    }

    private func finish() {
        guard !call.client.isGone else { return }
        guard isTooLong else { return reply.replaceHeader(ofArray: transaction.count, at: start, with: replies) }
        let error = CommandError.limit(
            \.outputBytes,
            "all \(transaction.count) commands were executed, but their replies are too large")
        reply.append(error: error.code, error.sentence)
    }
}

/// The processor time that work has taken within one EXEC that can be long: with expressions, due timers or messages, or in long pieces. How many
/// other commands are carried out does not depend on the machine.
struct LongWork {
    private let start = TurnClock.threadNanoseconds
    private var began: Int64 = 0
    private var total: Int64 = 0

    /// A piece that takes longer is long.
    private static let longPiece: Int64 = 200_000
    private static let maxNanoseconds: Int64 = 10_000_000

    var isUp: Bool { total > Self.maxNanoseconds }

    /// Whether all commands together have taken that long: also short ones.
    var isUpForReading: Bool { TurnClock.threadNanoseconds - start > Self.maxNanoseconds }

    mutating func begin() { began = TurnClock.threadNanoseconds }

    /// Counts the pieces since the beginning: if they may be long, also short ones, since a thousand of them are long together.
    mutating func count(_ pieces: Int, mayBeLong: Bool) {
        let took = TurnClock.threadNanoseconds - began
        if mayBeLong || took > Self.longPiece * Int64(pieces) { total += took }
    }
}
