// WATCH and UNWATCH: for clients that know them from Redis.

import RESP

extension Command {
    package static let watch: Command = Command(
        name: "WATCH", group: .transactions, needs: .nothing,
        syntax: "WATCH session [session …]",
        summary: "Is refused: SEND … IF version says what has been seen.",
        examples: ["WATCH room"],
        words: 2...anyNumber, flags: [.inTransaction], keys: .all
    ) { call throws(CommandError) in
        // As in Redis, this does not spoil what is queued.
        let sentence =
            call.client.transaction == nil
            ? "sessions are not watched; SEND session event [payload] IF version is refused if the session has changed"
            : "WATCH inside MULTI is not allowed"
        call.reply.append(error: .generic, sentence)
    }

    package static let unwatch: Command = Command(
        name: "UNWATCH", group: .transactions, needs: .nothing,
        syntax: "UNWATCH",
        summary: "Does nothing, since nothing is watched.",
        examples: ["UNWATCH"],
        words: 1...1
    ) { call throws(CommandError) in call.reply.append(.ok) }
}
