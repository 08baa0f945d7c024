import RESP

/// A session that could not be restored: it is kept in the database, and nothing is done with it.
struct SetAside {
    let name: ByteString
    /// Its place in the database.
    let id: Int64
    let flow: String
    let problem: String

    var error: CommandError {
        CommandError(
            "ASIDE",
            "'\(name.text.shortened)' could not be restored and was set aside: \(problem); DROP \(name.text.shortened) gives it up"
        )
    }
}
