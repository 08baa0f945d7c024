// RELOAD: reads the daemon's files again.

import RESP
import Sessions

extension Command {
    package static let reload = Command(
        name: "RELOAD", group: .service, needs: .administers,
        summary:
            "Reloads the configuration, flow files, tokens and device files, all or nothing. Replies with a line for each change.",
        details: """
            It does what SIGHUP does, and says what has come of it: which flows are new, changed, gone or unchanged, how many of \
            their sessions go on, and how many are set aside, since the new definition does not fit them: STATE says why, and they \
            come back once one fits again. Settings that can change while the daemon runs are the log's level, limits, the token file, \
            the device file and the flow files; of others it says that they need a restart. DRY says the same and changes nothing. If \
            anything is wrong, nothing changes, and the reply is BADFLOW or BADCONFIG with the first error; the log has all of them. The reply comes when the last session has \
            moved; others are served meanwhile. It takes a master, as CONFIG SET does.
            """,
        examples: ["RELOAD DRY", "RELOAD"],
        Form(ReloadRequest.self))
}

package struct ReloadRequest: CommandRequest {
    let isDry: Bool

    package init(isDry: Bool) { self.isDry = isDry }

    package static let form = CommandForm(.flag("DRY", "only say what would change")) { ReloadRequest(isDry: $0) }
    package static var command: Command { .reload }

    /// Returns a line for each change.
    package func answer(to call: Call) throws(CommandError) -> CommandAnswer<[String]> {
        if let unavailability = call.host.unavailability, call.host.isLoading || !isDry { throw unavailability }
        guard !call.client.isExecuting else {
            throw CommandError(.generic, "RELOAD takes several turns, and a transaction has one; send it outside of MULTI")
        }
        return try call.host.reloader.begin(isDry: isDry, for: call.client)
    }
}
