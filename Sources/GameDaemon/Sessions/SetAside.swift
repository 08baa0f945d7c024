import RESP

/// A session that could not be restored: it is kept in the database, and nothing is done with it.
struct SetAside {
    let name: ByteString
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
            "'\(name.text.shortened)' could not be restored and was set aside: \(problem); DROP \(name.text.shortened) gives it up"
        )
    }

    private var quarantineError: CommandError {
        let name = name.text.shortened
        return CommandError(
            "ASIDE",
            "'\(name)' is quarantined: \(problem); HISTORY \(name) and SESSIONS 0 STATE ! show it, RETRY \(name) tries it again, DROP \(name) gives it up"
        )
    }

    /// What the operator is told at each start.
    var report: String {
        quarantined == nil
            ? "'\(name.text.shortened)' could not be restored and was set aside: \(problem)" : quarantineError.sentence
    }
}
