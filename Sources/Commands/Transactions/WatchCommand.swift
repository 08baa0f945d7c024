// WATCH and UNWATCH: for clients that know them from Redis.

import RESP

extension Command {
    package static let watch = Command(
        name: "WATCH", group: .transactions, needs: .nothing,
        summary: "Is refused: SEND … IF version says what has been seen.",
        examples: ["WATCH room"],
        flags: [.inTransaction], keys: .all, WatchRequest.self)

    package static let unwatch = Command(
        name: "UNWATCH", group: .transactions, needs: .nothing,
        summary: "Does nothing, since nothing is watched.",
        examples: ["UNWATCH"],
        UnwatchRequest.self)
}

struct WatchRequest: PromptRequest {
    static let form = CommandForm(.several("session", .bytes, atLeast: 1)) { _ in WatchRequest() }
    static var command: Command { .watch }

    func run(_ call: Call) throws(CommandError) -> EncodedReply {
        // As in Redis, this does not spoil the queued commands: it is an error as a value.
        let sentence =
            call.client.transaction == nil
            ? "sessions are not watched; SEND session event [payload] IF version is refused if the session has changed"
            : "WATCH inside MULTI is not allowed"
        return EncodedReply(error: .generic, sentence)
    }
}

struct UnwatchRequest: PromptRequest {
    static let form = CommandForm { UnwatchRequest() }
    static var command: Command { .unwatch }

    func run(_ call: Call) throws(CommandError) -> EncodedReply { .ok }
}
