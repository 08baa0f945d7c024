// Errors as clients may read them: without the database's user, its name and paths.

extension PostgresError {
    /// The error without what only the operator may know.
    package var shown: String { description.withoutNamesAndPaths }

    /// For a connection that cannot be opened: where the database is, why it cannot be used, and what to do. Nil for other errors.
    package var connectionTrouble: String? {
        let beginning = "connection to server "
        guard message.hasPrefix(beginning) else { return nil }
        let rest = message.dropFirst(beginning.count)
        guard let failed = rest.firstRange(of: " failed: ") else { return nil }
        let place = Self.place(rest[..<failed.lowerBound])
        if let state, [.invalidPassword, .invalidAuthorization].contains(state) {
            return "the database \(place) refuses the password or the user of --store; correct it there or in the database, "
                + "gamed resumes by itself if the database accepts it, and otherwise must be restarted"
        }
        let reason = rest[failed.upperBound...].prefix { $0 != ";" }
        return "the database \(place) does not answer: \(Self.plain(reason)); start it, gamed resumes by itself"
    }

    /// Of `at "db" (10.0.0.2), port 5432`; a socket's path is left out.
    private static func place(_ text: Substring) -> String {
        guard text.hasPrefix("at ") else { return "on this machine" }
        let host = text.split(separator: "\"", omittingEmptySubsequences: false).dropFirst().first ?? ""
        let port = text.reversed().prefix { $0.isNumber }.reversed()
        return port.isEmpty ? "at \(host)" : "at \(host):\(String(port))"
    }

    private static func plain(_ reason: Substring) -> String {
        let words = reason.hasPrefix("FATAL: ") ? reason.dropFirst("FATAL: ".count) : reason
        return (words.prefix(1).lowercased() + words.dropFirst()).withoutNamesAndPaths
    }
}

extension String {
    /// Quoted names of users, roles and databases, and paths, are replaced with `…`.
    var withoutNamesAndPaths: String {
        var (result, isQuoted, isName) = ("", false, false)
        for (number, part) in split(separator: "\"", omittingEmptySubsequences: false).enumerated() {
            isQuoted = number % 2 == 1
            if number > 0 { result += "\"" }
            result += isQuoted && (isName || part.contains("/")) ? "…" : isQuoted ? String(part) : String(part).withoutPaths
            isName = !isQuoted && ["user ", "role ", "database "].contains { part.hasSuffix($0) }
        }
        return result
    }

    private var withoutPaths: String {
        split(separator: " ", omittingEmptySubsequences: false).map { $0.hasPrefix("/") ? "…" : String($0) }.joined(
            separator: " ")
    }
}
