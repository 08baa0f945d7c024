// Errors as clients read them.

import Testing

@testable import Postgres

@Suite struct `An error of the database as clients read it` {
    @Test(arguments: [
        (
            "connection to server at \"db\" (10.0.0.2), port 5432 failed: Connection refused", nil,
            "the database at db:5432 does not answer: connection refused; start it, gamed resumes by itself"
        ),
        (
            "connection to server on socket \"/run/secret/.s.PGSQL.5432\" failed: No such file or directory", nil,
            "the database on this machine does not answer: no such file or directory; start it, gamed resumes by itself"
        ),
        (
            "connection to server at \"db\", port 1 failed: FATAL: database \"venue\" does not exist", SQLState("3D000"),
            "the database at db:1 does not answer: database \"…\" does not exist; start it, gamed resumes by itself"
        ),
    ]) func `A connection error names the address, reason and remedy`(message: String, state: SQLState?, shown: String) {
        #expect(PostgresError(.notSent, message, state).connectionTrouble == shown)
    }

    @Test func `A refused password is reported without the user's name`() throws {
        let message = "connection to server at \"db\", port 5432 failed: FATAL: password authentication failed for user \"ann\""
        let shown = try #require(PostgresError(.notSent, message, .invalidPassword).connectionTrouble)
        #expect(shown.hasPrefix("the database at db:5432 refuses the password") && !shown.contains("ann"), "\(shown)")
    }

    @Test(arguments: [
        ("role \"ann\" is not permitted to log in", "role \"…\" is not permitted to log in"),
        ("could not extend file \"base/1/2\": No space left", "could not extend file \"…\": No space left"),
        ("the connection to /var/run is lost", "the connection to … is lost"),
        ("permission denied for table \"log\"", "permission denied for table \"log\""),
    ]) func `A database error as clients read it has no users and no paths`(message: String, shown: String) {
        #expect(PostgresError(.refused, message).shown == shown)
    }
}
