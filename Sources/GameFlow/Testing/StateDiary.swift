// What sessions have done, line by line, and how long each was in each state.

import Timers

/// Writes down what the sessions of a flow do, each by its name.
public final class StateDiary<F: Flow> {
    /// A line for each change, of all sessions.
    public private(set) var lines: [String] = []
    /// By session and by state, for the states that it has left.
    private var times: [String: [String: Duration]] = [:]

    public init() {}

    /// Has the diary told of what happens to sessions of this definition.
    public func keep(_ definition: inout FlowDefinition<F>) {
        definition.after { [self] session, change in
            lines.append("\(change.from) -> \(change.to) on \(change.eventName ?? "force")")
            guard change.isMove else { return }
            times[session.sessionName, default: [:]][change.from, default: .zero] += change.since.duration(to: change.at)
        }
    }

    /// How long a session was in each state that it has left.
    public func timeIn(_ session: String = "test") -> [String: Duration] { times[session] ?? [:] }
}
