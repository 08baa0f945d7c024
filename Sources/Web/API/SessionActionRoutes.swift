// Actions on a session: events, and a master's actions.

import Commands
import GameFlow
import RESP

extension Route {
    static let sessionActions: [Route] = [
        Route(
            .post, path("events"), "Sends an event.", needs: .plays(.session),
            body: Field.list(of: SendRequest.self, only: "event", "payload", "if") + [source], bodyLimit: .payload,
            headers: [
                .optional(
                    RelaySigner.idHeader, .text,
                    "an id that makes repeating safe, 1 to 64 printable characters: while the session remembers it, a repeated event changes nothing, and the response has the first one's status"
                )
            ], answer: "View"
        ) { call throws(CommandError) in
            try call.readSource()
            try SendRequest.with(session: call.parameter("name"), call.body, id: call.id, within: call.host.limits) {
                call.change($0, of: call.parameter("name"))
            }
        },
        action("pause", "Pauses a session's clock or a timer.", PauseRequest.self),
        action("resume", "Resumes a session's clock or a timer.", ResumeRequest.self),
        action("extend", "Adds time to a timer, or removes it.", ExtendRequest.self),
        action("force", "Puts a session into any state, bypassing the rules of its flow.", ForceRequest.self, .payload),
        action(
            "restart", "Restarts a session, with its original parameters or with these.", RestartRequest.self, .payload),
        action("undo", "Undoes the drop of a session, within ten seconds.", UndropRequest.self),
        action("retry", "Tries again to restore a quarantined session.", RetryRequest.self),
        action("withdraw", "Withdraws a postponed event.", WithdrawRequest.self),
    ]

    private static func path(_ word: String) -> String { "/api/sessions/{name}/\(word)" }

    /// Runs a command with the body's members as arguments, and answers with the new view.
    private static func action<Request: CommandRequest>(
        _ word: String, _ summary: String, _: Request.Type, _ limit: BodyLimit = .words
    ) -> Route {
        Route(
            .post, path(word), summary, needs: Request.needs, body: Field.list(of: Request.self), bodyLimit: limit,
            answer: "View"
        ) { call throws(CommandError) in
            call.change(try call.request(Request.self), of: call.parameter("name"))
        }
    }
}
