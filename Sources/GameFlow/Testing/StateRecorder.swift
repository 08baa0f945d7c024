// A record of what sessions have done, line by line, and of the time that each spent in each state.

import Timers

/// Records what the sessions of a flow do, by session name.
public final class StateRecorder<F: Flow> {
    /// A line for each change, of all sessions.
    public private(set) var lines: [String] = []
    /// Time by session and state, for states that the session has left.
    private var times: [String: [String: Duration]] = [:]

    /// An empty diary, to be given to `keep`.
    public init() {}

    /// Adds hooks to the definition that write this diary.
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
