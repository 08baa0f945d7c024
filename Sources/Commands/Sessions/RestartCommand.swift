// RESTART: restarts a session.

import GameFlow
import Memory
import RESP
import Sessions

extension Command {
    package static let restart = Command(
        name: "RESTART", group: .sessions, needs: .masters(.session),
        summary:
            "Restarts a session in its flow's first state, with its original parameters. Replies with the state.",
        details: """
            Works as DROP and NEW in one turn: the session's life and history are new, its timers and waiting events are \
            discarded, and its children end; a session that invoked it keeps it as its child. With JSON it starts as NEW \
            would, only with the parameters given. Without JSON, an original parameter that the changed flow lacks is \
            dropped, and one that it no longer allows has its default. If it cannot start, nothing changes. The history \
            shows the actor. The session still counts against the quota of the token that created it.
            """,
        examples: ["RESTART room", #"RESTART room '{"context":{"minutes":45}}'"#],
        flags: [.changes], longWord: 2,
        Form(RestartRequest.self))
}

package struct RestartRequest: SessionRequest {
    package let name: ByteString
    let beginning: JSON?

    package static let form = CommandForm(.session, .beginning) { RestartRequest(name: $0, beginning: $1) }
    package static var command: Command { .restart }

    package func run(_ call: Call) throws(CommandError) -> SimpleText {
        let session = try call.session(name)
        do throws(SessionError) {
            let anew = try call.host.sessions.restart(session, beginning, by: call.actor, from: call.source)
            return SimpleText(anew.machine.stateName)
        } catch {
            throw CommandError(error)
        }
    }
}

extension Command {
    package static let force = Command(
        name: "FORCE", group: .sessions, needs: .masters(.session),
        summary: "Puts a session into any state, bypassing the rules of its flow. The history records it as FORCE.",
        details: """
            The old state's timers are cancelled; those of the new one start with their full length unless the data has \
            their remaining time (`{"timeLimit":{"remaining_ms":5000}}`). Data that no transition could produce is refused \
            with the allowed values. The history shows the force and its actor.
            """,
        examples: [#"FORCE room finishedLevel '{"episode":1,"level":2,"score":100}'"#],
        flags: [.changes], longWord: 3,
        Form(ForceRequest.self))
}

package struct ForceRequest: SessionRequest {
    package let name: ByteString
    let state: String
    let data: JSON?

    package init(session: ByteString, state: String, data: JSON?) { (name, self.state, self.data) = (session, state, data) }

    package static let form = CommandForm(
        .session, .required("state", .text, "the state"), .optional("json", .json, "the state's data", member: "data")
    ) { ForceRequest(session: $0, state: $1, data: $2) }
    package static var command: Command { .force }

    package func run(_ call: Call) throws(CommandError) -> SimpleText {
        let machine = try call.session(name).machine
        do throws(Refusal) {
            try machine.force(state, data: data ?? .object([]), from: call.source, by: call.actor)
        } catch {
            throw CommandError(error.code, error.description)
        }
        return SimpleText(machine.stateName)
    }
}
