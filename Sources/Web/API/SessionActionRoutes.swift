// Actions on a session: events, and a master's actions.

import Commands
import GameFlow
import RESP

extension Route {
    static let sessionActions: [Route] = [
        Route(
            .post, path("events"), "Sends an event.", needs: .plays(.session),
            body: Field.list(of: SendRequest.self, only: "event", "payload", "if") + [source],
            headers: [
                .optional(
                    RelaySigner.idHeader, .text,
                    "an id that makes repeating safe, 1 to 64 printable characters: while the session remembers it, the event changes nothing again, and the answer has the first one's status"
                )
            ], answer: "View"
        ) { call throws(CommandError) in
            try call.readSource()
            try SendRequest.with(session: call.parameter("name"), call.body, id: call.id, within: call.host.limits) {
                call.change($0, of: call.parameter("name"))
            }
        },
        action("pause", "Pauses a session's clock, or one of its timers.", PauseRequest.self),
        action("resume", "Lets a session's clock, or one of its timers, go on.", ResumeRequest.self),
        action("extend", "Gives a timer more time, or less.", ExtendRequest.self),
        action("force", "Puts a session into any state, past the rules of its flow.", ForceRequest.self),
        action(
            "restart", "Begins a session anew, with the parameters that it was begun with, or with these.", RestartRequest.self),
        action("undo", "Takes back that the session was dropped, for ten seconds.", UndropRequest.self),
        action("retry", "Tries again to restore a session that is quarantined.", RetryRequest.self),
        action("withdraw", "Takes back a postponed event.", WithdrawRequest.self),
    ]

    private static func path(_ word: String) -> String { "/api/sessions/{name}/\(word)" }

    /// Runs a command with the body's members as arguments, and answers with the new view.
    private static func action<Request: CommandRequest>(_ word: String, _ summary: String, _: Request.Type) -> Route {
        Route(.post, path(word), summary, needs: Request.needs, body: Field.list(of: Request.self), answer: "View") {
            call throws(CommandError) in
            call.change(try call.request(Request.self), of: call.parameter("name"))
        }
    }
}
