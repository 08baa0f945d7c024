// RELOAD: reads the daemon's files again.

import RESP

extension Command {
    package static let reload = Command(
        name: "RELOAD", group: .service, needs: .administers,
        summary:
            "Reloads the configuration, flow files, tokens and device files, all or nothing. Replies with a line for each change.",
        details: """
            Reloads like SIGHUP, and replies with the flows added, changed, removed and unchanged, how many of their sessions \
            continue, how many are over because the new definition makes their state final, and how many are set aside because \
            it does not fit them. STATE shows the reason; these sessions are restored once a definition fits. A warning \
            names each running timer that ends, each variable whose value is lost and each child that is dropped because \
            the new definition lacks it, up to ten of each flow. \
            \(LiveSetting.sentence) The reply names each changed setting that needs one. DRY reports the same and changes \
            nothing. FULL replies with a map for each line, for programs: its `text`, and `about`, which is flow, file, \
            setting or warning. For a flow it has `change` (new, changed, gone or unchanged), the numbers of sessions that \
            are `continued`, `ended`, `restored` and `set_aside`, and the numbers of `timers_ended`, `variables_lost` and \
            `children_dropped`; for a setting `needs_restart`. On any error nothing changes, and the \
            reply is BADFLOW or BADCONFIG with the first error; the log has all of them. The reply arrives when the last \
            session has moved; other clients are served meanwhile. Requires a master, like CONFIG SET.
            """,
        examples: ["RELOAD DRY", "RELOAD", "RELOAD DRY FULL"],
        Form(ReloadRequest.self))
}

package struct ReloadRequest: CommandRequest {
    let isDry: Bool
    let isFull: Bool

    package static let form = CommandForm(
        .flag("DRY", "only report the changes"), .flag("FULL", "report each change as facts")
    ) { ReloadRequest(isDry: $0, isFull: $1) }
    package static var command: Command { .reload }

    /// Returns a line for each change.
    package func answer(to call: Call) throws(CommandError) -> CommandAnswer<ReloadReply> {
        if let unavailability = call.host.unavailability, call.host.isLoading || !isDry { throw unavailability }
        guard !call.client.isExecuting else {
            throw CommandError(.generic, "RELOAD takes several turns, and a transaction has one; send it outside of MULTI")
        }
        return try call.host.reloader.begin(isDry: isDry, isFull: isFull, for: call.client)
    }
}
