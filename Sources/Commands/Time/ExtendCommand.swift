// EXTEND: adds time to a timer, or takes it away.

import GameFlow
import Memory
import RESP
import Sessions
import Texts

extension Command {
    package static let extend = Command(
        name: "EXTEND", group: .time, needs: .masters(.session),
        summary: "Adds time to a timer, or removes it (-10s). Replies with the remaining time, in ms.",
        details: """
            Works beyond the timer's original length, and while it is paused. Removing more than the remaining time fires it \
            now.
            """,
        examples: ["EXTEND room lobby 90s", "EXTEND room lobby 1m30s", "EXTEND room lobby -10s"],
        flags: [.changes],
        Form(ExtendRequest.self))
}

package struct ExtendRequest: SessionRequest {
    package let name: ByteString
    let timer: String
    let duration: Duration

    package static let form = CommandForm(
        .session, .required("timer", .text, "its name"),
        .required("duration", .duration, "how much: 10s, -1m, or milliseconds", member: "by")
    ) { ExtendRequest(name: $0, timer: $1, duration: $2.duration) }
    package static var command: Command { .extend }

    /// Returns the milliseconds that are left.
    package func run(_ call: Call) throws(CommandError) -> Int {
        let session = try call.session(name)
        let timer = try session.timer(named: timer)
        do throws(TimerError) {
            try timer.extend(by: duration)
        } catch {
            throw CommandError(.generic, error.description)
        }
        call.record(.extended, session, timer, payload: "\(duration.milliseconds)")
        return timer.remaining?.milliseconds ?? 0
    }
}

// MARK: - A timer as an argument, and the record of operator actions on it.

extension CommandParameter<String?> {
    static var timer: CommandParameter { .optional("timer", .text, "a timer; default: the whole session") }
}

extension Session {
    /// One of its timers.
    func timer(named name: String) throws(CommandError) -> StateTimer {
        let timers = machine.ownTimers.filter { $0.remaining != nil }
        if let timer = timers.last(where: { $0.plan.name == name }) { return timer }
        let names = timers.map(\.plan.name).joined(separator: ", ")
        throw CommandError(
            .noTimer,
            "'\(self.name)' has no timer '\(name.shortened)' in '\(machine.stateName)'; its timers: \(names.isEmpty ? "none" : names)"
        )
    }
}

extension Call {
    /// Records what this client has done to the session's clock, or to one of its timers.
    func record(_ action: HistoryEntry.Kind, _ session: Session, _ timer: StateTimer? = nil, payload: String? = nil) {
        session.record(action, to: timer?.plan, payload: payload, by: actor, from: source)
    }
}
