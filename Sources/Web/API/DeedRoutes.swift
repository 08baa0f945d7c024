// What is done to a session: events, and what a master does.

import Commands
import GameFlow
import RESP

extension Route {
    static let deeds: [Route] = [
        deed(
            "events", "Sends an event.", needs: .plays(.session),
            [
                .needed("event", .text, "its name"), .optional("payload", .any, "what it carries"),
                .optional("if", .version, "the version, or life:version, that the sender has seen; another one refuses it"),
                source,
            ],
            headers: [
                .optional(
                    RelayPass.idHeader, .text,
                    "an id that makes repeating safe, 1 to 64 printable characters: while the session remembers it, the event changes nothing again, and the answer has the first one's status"
                )
            ]
        ) { call in
            let payload = call.json("payload").map { [$0] } ?? []
            let condition = call.word("if").map { ["IF", $0] } ?? []
            return ["SEND", call.parameter("name"), call.text("event") ?? ""] + payload + condition
                + (call.id.map { ["ID", $0] } ?? [])
        },
        deed("pause", "Pauses a session's clock, or one of its timers.", [timer]) { call in
            ["PAUSE", call.parameter("name")] + (call.text("timer").map { [$0] } ?? [])
        },
        deed("resume", "Lets a session's clock, or one of its timers, go on.", [timer]) { call in
            ["RESUME", call.parameter("name")] + (call.text("timer").map { [$0] } ?? [])
        },
        deed(
            "extend", "Gives a timer more time, or less.",
            [.needed("timer", .text, "its name"), .needed("by", .duration, "how much: 10s, -1m, or milliseconds")]
        ) { call in ["EXTEND", call.parameter("name"), call.text("timer") ?? "", call.word("by") ?? ""] },
        deed(
            "force", "Puts a session into any state, past the rules of its flow.",
            [.needed("state", .text, "the state"), .optional("data", .any, "what it carries")]
        ) { call in
            ["FORCE", call.parameter("name"), call.text("state") ?? ""] + (call.json("data").map { [$0] } ?? [])
        },
        deed(
            "restart", "Begins a session anew, with the parameters that it was begun with, or with these.",
            [.optional("context", .object, "the flow's parameters")]
        ) { call in
            let beginning = call.value("context").map { [JSON.object([.init("context", $0)]).description] } ?? []
            return ["RESTART", call.parameter("name")] + beginning
        },
        deed("undo", "Takes back that the session was dropped, for ten seconds.", []) { ["UNDROP", $0.parameter("name")] },
        deed("retry", "Tries again to restore a session that is quarantined.", []) { call in ["RETRY", call.parameter("name")]
        },
    ]

    static let timer = Field.optional("timer", .text, "a timer; the whole session if it is not said")

    /// Runs a command, and answers with the new view.
    static func deed(
        _ word: String, _ summary: String, needs: Needs = .masters(.session), _ body: [Field], headers: [Field] = [],
        _ command: @escaping @Sendable (WebCall) -> [String]
    ) -> Route {
        Route(.post, "/api/sessions/{name}/\(word)", summary, needs: needs, body: body, headers: headers, answer: "View") {
            call throws(CommandError) in
            try call.checkSource()
            call.change(command(call), of: call.parameter("name"))
        }
    }
}
