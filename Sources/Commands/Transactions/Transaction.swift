// The commands that a client has queued since MULTI.

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
}

extension Call {
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
