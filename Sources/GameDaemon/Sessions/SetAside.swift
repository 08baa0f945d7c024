/// A session that could not be restored: it is kept in the database, and nothing is done with it.
struct SetAside {
    let name: String
    /// Its place in the database.
    let id: Int64
    let flow: String
    let problem: String
    /// What there is of one that the daemon has died of, and that no start tries again; nil for all others.
    var quarantined: QuarantinedSession?

    var error: CommandError { quarantined == nil ? asideError : quarantineError }

    private var asideError: CommandError {
        CommandError(
            "ASIDE",
            "'\(name.shortened)' could not be restored and was set aside: \(problem); DROP \(name.shortened) gives it up")
    }

    private var quarantineError: CommandError {
        let name = name.shortened
        return CommandError(
            "ASIDE",
            "'\(name)' is quarantined: \(problem); HISTORY \(name) and SESSIONS 0 STATE ! show it, RETRY \(name) tries it again, DROP \(name) gives it up"
        )
    }

    /// What the operator is told at each start.
    var report: String {
        quarantined == nil ? "'\(name)' could not be restored and was set aside: \(problem)" : quarantineError.sentence
    }
}
