// Sandboxes: a flow is tried in virtual time, apart from real sessions. Every answer is the whole sandbox.

import Commands
import GameFlow
import RESP
import Simulation
import Sessions

extension Route {
    static let sandboxes: [Route] = [
        Route(
            .post, "/api/sandboxes", "Creates a sandbox of a flow.", needs: .plays(.nothing),
            body: Field.list(of: NewRequest.self, only: "flow", "context", "state", "data"), bodyLimit: .sandbox,
            answer: "Sandbox", status: 201
        ) { call throws(CommandError) in
            let flow = try call.host.flow(named: call.text("flow") ?? "")
            try call.visitor.token?.chargeChange()
            let sandbox = try call.site.sandboxes.make(
                flow, of: call.host.sessions.flows, context: call.value("context"), state: call.text("state"),
                data: call.value("data"), for: call.consumer, call.host.limits)
            call.answer(sandbox, 201)
        },
        Route(.get, "/api/sandboxes/{id}", "The present state of a sandbox.", needs: .plays(.nothing), answer: "Sandbox") {
            call throws(CommandError) in
            call.answer(try call.sandbox())
        },
        Route(.delete, "/api/sandboxes/{id}", "Drops a sandbox.", needs: .plays(.nothing), answer: "Nothing", status: 204) {
            call throws(CommandError) in
            _ = try call.sandbox()
            call.site.sandboxes.drop(call.parameter("id"))
            call.answerEmpty()
        },
        sandboxAction(
            "events", "Sends an event. Later steps are discarded.",
            Field.list(of: SendRequest.self, only: "event", "payload") + [
                // Nothing leaves the sandbox, so that no permission is needed to play a program or a device.
                .optional("source", .choice(EventSource.ofSandboxes.map(\.name)), "the source; default ui"),
                .optional("child", .text, "the child session that receives it"),
            ]
        ) { call, sandbox throws(CommandError) in
            guard call.text("child") != "" else {
                throw CommandError(.generic, "'child' is the name of a child, such as sandbox/round")
            }
            let source = EventSource.ofSandboxes.first { $0.name == call.text("source") } ?? .ui
            try sandbox.send(
                call.text("event") ?? "", payload: call.value("payload"), from: source, to: call.text("child"))
        },
        sandboxAction(
            "time", "Moves to an instant, forward or back, or to the next timer.",
            [
                .optional("at_ms", .integer(from: 0), "the instant, in milliseconds from the beginning"),
                .optional("to", .choice(["next"]), "next, for the next timer"),
            ]
        ) { call, sandbox throws(CommandError) in
            switch (call.body["at_ms"]?.integer, call.text("to")) {
            case (let at?, nil): try sandbox.seek(to: at)
            case (nil, "next"): try sandbox.seekToNext()
            default:
                throw CommandError(.generic, "one target is needed: 'at_ms' is an instant, and 'to' can be \"next\"")
            }
        },
        sandboxAction("pause", "Pauses the clock or a timer.", Field.list(of: PauseRequest.self)) {
            call, sandbox throws(CommandError) in
            try sandbox.pause(call.text("timer"))
        },
        sandboxAction("resume", "Resumes the clock or a timer.", Field.list(of: ResumeRequest.self)) {
            call, sandbox throws(CommandError) in try sandbox.resume(call.text("timer"))
        },
        sandboxAction(
            "extend", "Adds time to a timer, or removes it.",
            Field.list(of: ExtendRequest.self)
        ) { call, sandbox throws(CommandError) in try sandbox.extend(call.text("timer") ?? "", by: call.word("by") ?? "") },
        sandboxAction(
            "force", "Puts it into any state, bypassing the rules of its flow.",
            Field.list(of: ForceRequest.self)
        ) { call, sandbox throws(CommandError) in try sandbox.force(call.text("state") ?? "", data: call.value("data")) },
        sandboxAction("restart", "Restarts it, without steps.", Field.list(of: RestartRequest.self, only: "context")) {
            call, sandbox throws(CommandError) in try sandbox.restart(context: call.value("context"))
        },
    ]

    private static func sandboxAction(
        _ word: String, _ summary: String, _ body: [Field],
        _ run: @escaping @Sendable (WebCall, Sandbox) throws(CommandError) -> Void
    ) -> Route {
        Route(
            .post, "/api/sandboxes/{id}/\(word)", summary, needs: .plays(.nothing), body: body, bodyLimit: .sandbox,
            answer: "Sandbox"
        ) { call throws(CommandError) in
            let sandbox = try call.sandbox()
            try call.visitor.token?.chargeChange()
            try run(call, sandbox)
            call.answer(sandbox)
        }
    }
}

extension WebCall {
    fileprivate func sandbox() throws(CommandError) -> Sandbox { try site.sandboxes.find(parameter("id")) }

    /// Answers once the sandbox stands: it walks on in later turns.
    fileprivate func answer(_ sandbox: Sandbox, _ status: Int = 200) {
        guard sandbox.isUnderWay else { return answer(sandbox.json, status) }
        site.sandboxes.walk(sandbox, while: { [request] in !request.isGone }) { [self] error in
            guard !request.isGone else { return }
            if let error { fail(error) } else { answer(sandbox, status) }
        }
    }
}
