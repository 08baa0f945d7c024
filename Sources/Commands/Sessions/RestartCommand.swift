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
            It is DROP and NEW in one turn: the session's life and history are new, its timers and events that wait are gone, and its \
            children end; a session that has begun it keeps it as its child. With JSON it begins as NEW begins it with that, and with \
            no parameters but those. If it cannot begin so, nothing changes. The history shows who did it.
            """,
        examples: ["RESTART room", #"RESTART room '{"context":{"minutes":45}}'"#],
        flags: [.changes], longWord: 2,
        Form(RestartRequest.self))
}

package struct RestartRequest: SessionRequest {
    package let name: ByteString
    let beginning: JSON?

    package init(session: ByteString, beginning: JSON?) { (name, self.beginning) = (session, beginning) }

    package static let form = CommandForm(.session, .beginning) { RestartRequest(session: $0, beginning: $1) }
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

// MARK: - FORCE: the game master's override.

extension Command {
    package static let force = Command(
        name: "FORCE", group: .sessions, needs: .masters(.session),
        summary: "Puts a session into any state, past the rules of its flow. The history records it as FORCE.",
        details: """
            The old state's timers are gone; those of the new one start afresh unless the data says how much is left \
            (`{"timeLimit":{"remaining_ms":5000}}`). Data that no transition could have led to are refused with what is \
            allowed. The history shows that it was forced, and by whom.
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
        .session, .required("state", .text, "the state"), .optional("json", .json, "what it carries", member: "data")
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
