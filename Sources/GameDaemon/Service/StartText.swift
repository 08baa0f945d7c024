// What the operator is told once the daemon listens: where, what, and what to try.

struct StartText {
    let options: Options
    /// Where it listens, the UNIX socket first.
    let places: [String]
    let hasToken: Bool

    var lines: [String] {
        var lines = ["gamed \(gamedVersion) listens at \(places.joined(separator: ", "))"]
        if places.count > 1 {
            lines.append(
                hasToken
                    ? "over TCP, clients say the token first: AUTH token" : "over TCP, whoever is on this machine may come in")
        }
        lines.append("time: \(options.time == .system ? "the machine's" : "virtual; it passes when somebody says ADVANCE")")
        if !options.sessions.isEmpty {
            lines.append("sessions: \(options.sessions.map { "\($0.name) (\($0.flow))" }.joined(separator: ", "))")
        }
        let moved = options.limits.changed.map { "\($0.limit.name)=\($0.value)" }
        if !moved.isEmpty { lines.append("limits: \(moved.joined(separator: ", "))") }
        return lines + suggestions
    }

    /// Something that works at once.
    private var suggestions: [String] {
        let client =
            "redis-cli" + (options.socketPath.contains(" ") ? " -s '\(options.socketPath)'" : " -s \(options.socketPath)")
        guard let first = options.sessions.first else { return ["try: \(client) NEW main game"] }
        return ["try: \(client) STATE \(first.name)", "     \(client) EVENTS \(first.name)"]
    }
}
