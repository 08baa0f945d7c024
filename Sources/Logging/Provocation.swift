// Lines that clients, flows and what is stored can provoke at will. Each kind has a budget of its own.

extension Log {
    package enum Provocation: Int, CaseIterable {
        case refusedConnection, cutOff, wrongToken, descriptors, startup, denied
        /// The daemon has stopped or kept back something of a session.
        case sessionTrouble
        /// A session that a start has set aside.
        case setAside
        /// What a session itself says.
        case sessionWords

        var budget: LogBudget {
            switch self {
            case .refusedConnection, .cutOff, .wrongToken, .descriptors, .startup, .denied, .sessionTrouble, .setAside:
                LogBudget()
            case .sessionWords: LogBudget(most: 1_000, refill: .milliseconds(10))
            }
        }

        /// What was not written line by line.
        func sum(_ count: Int) -> String {
            let what =
                switch self {
                case .refusedConnection: "connections were refused"
                case .cutOff: "connections were cut off"
                case .wrongToken: "wrong tokens were sent"
                case .descriptors: "times there were connections that could not be taken in"
                case .startup: "lines came from what the flow 'startup' keeps"
                case .denied: "commands were refused for want of rights"
                case .sessionTrouble: "warnings were about sessions"
                case .setAside: "sessions were set aside; SESSIONS 0 STATE ! names them"
                case .sessionWords: "lines came from sessions"
                }
            return "\(count) more \(what)"
        }
    }
}
