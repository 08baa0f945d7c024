// MULTI: begins a transaction.

import RESP

extension Command {
    package static let multi = Command(
        name: "MULTI", group: .transactions, needs: .nothing,
        summary: "Queues the commands that follow until EXEC executes or DISCARD discards them.",
        details: """
            Each is answered QUEUED, or refused if it is unknown, has too few or too many words or is not permitted; EXEC \
            then executes none of them. In a cluster, all of them must be about sessions of one slot (CROSSSLOT). At most \
            \(Limits().transactionCommands) commands are queued, with transaction-bytes bytes (a limit).
            """,
        examples: ["MULTI"],
        flags: [.inTransaction],
        Form { call in
            // As in Redis, this one does not spoil the queued commands: it is an error as a value.
            guard call.client.transaction == nil else {
                return EncodedReply(error: .generic, "MULTI calls can not be nested")
            }
            call.client.beginTransaction()
            return .ok
        })

    package static let exec = Command(
        name: "EXEC", group: .transactions, needs: .nothing,
        summary: "Executes the commands queued since MULTI atomically. Returns their replies.",
        details: """
            No other client's commands run in between. A refused command has its error in the array, and the others are \
            executed all the same. EXECABORT: a command was refused when it was queued, and none was executed. In a cluster, \
            MOVED or a similar error instead of an array: the sessions have moved to another node, and none was executed. \
            Timers that a command makes due fire before the next. Once the time budget is exhausted, commands that only read \
            are refused with LIMIT. After 10 ms of changes with expressions, due timers or messages, or longer than 0.2 ms, all \
            commands are. LIMIT instead of an array: all commands were executed, but their replies are larger than output-bytes \
            (a limit).
            """,
        examples: ["EXEC"],
        flags: [.inTransaction],
        Form { call throws(CommandError) in
            guard let transaction = call.client.endTransaction() else { throw CommandError(.generic, "EXEC without MULTI") }
            guard !transaction.isAborted else {
                throw CommandError(.executionAborted, "Transaction discarded because of previous errors.")
            }
            // The queued session may have moved to another node since.
            if let slot = transaction.slot { try call.host.cluster?.check(slot: slot) }
            Execution(of: transaction, by: call).run()
            return NoReply()
        })
}

/// The replies of the queued commands have been written one by one, each when it was carried out.
struct NoReply: ReplyValue {
    func write(to _: ReplyBuffer) {}
}

extension Command {
    package static let discard = Command(
        name: "DISCARD", group: .transactions, needs: .nothing,
        summary: "Discards the commands queued since MULTI.",
        examples: ["DISCARD"],
        flags: [.inTransaction],
        Form { call throws(CommandError) in
            guard call.client.endTransaction() != nil else { throw CommandError(.generic, "DISCARD without MULTI") }
            return EncodedReply.ok
        })

    // MARK: WATCH and UNWATCH: for clients that know them from Redis.

    package static let watch = Command(
        name: "WATCH", group: .transactions, needs: .nothing,
        summary: "Not supported; use SEND … IF version.",
        examples: ["WATCH room"],
        flags: [.inTransaction], keys: .all,
        Form(.several("session", .bytes, atLeast: 1)) { call, _ in
            // As in Redis, this does not spoil the queued commands: it is an error as a value.
            let sentence =
                call.client.transaction == nil
                ? "sessions are not watched; SEND session event [payload] IF version is refused if the session has changed"
                : "WATCH inside MULTI is not allowed"
            return EncodedReply(error: .generic, sentence)
        })

    package static let unwatch = Command(
        name: "UNWATCH", group: .transactions, needs: .nothing,
        summary: "No effect: WATCH is not supported.",
        examples: ["UNWATCH"],
        Form { _ in EncodedReply.ok })
}
