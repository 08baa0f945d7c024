// WITHDRAW: takes back a postponed event.

import GameFlow
import Memory
import RESP
import Sessions
import Texts

extension Command {
    package static let withdraw = Command(
        name: "WITHDRAW", group: .sessions, needs: .plays(.session),
        summary: "Withdraws a postponed event. VIEW lists them with their ids.",
        details: """
            A postponed event waits until the session is in a state that accepts it. `postponed` in VIEW has the id, name, \
            payload and age of each. HISTORY shows the withdrawal. The reply is the event's name.
            """,
        examples: ["WITHDRAW room 1"],
        flags: [.changes],
        Form(WithdrawRequest.self))
}

package struct WithdrawRequest: SessionRequest {
    package let name: ByteString
    let id: Int

    package static let form = CommandForm(.session, .required("id", .positive, "the event's id, from `postponed` in VIEW")) {
        WithdrawRequest(name: $0, id: $1)
    }
    package static var command: Command { .withdraw }

    package func run(_ call: Call) throws(CommandError) -> SimpleText {
        let session = try call.session(name)
        guard let event = session.machine.withdraw(postponed: id, from: call.source, by: call.actor) else {
            throw CommandError(.generic, Self.sentence(id, session.machine))
        }
        return SimpleText(event)
    }

    private static func sentence(_ id: Int, _ machine: AnyMachine) -> String {
        let ids = machine.postponed.map { "\($0.number) (\($0.event))" }
        return ids.isEmpty
            ? "no event of this session is postponed" : "no postponed event has the id \(id); available: \(ids.listed)"
    }
}
