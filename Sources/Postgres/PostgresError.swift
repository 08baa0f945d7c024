// Why a statement or a connection failed, in one sentence, and what is known of the outcome.

package struct PostgresError: Error, Equatable, CustomStringConvertible, Sendable {
    package enum Outcome: Sendable {
        /// The server refused it. The transaction is certainly rolled back.
        case refused
        /// The server has not got it.
        case notSent
        /// The connection was lost after it was sent: it may have been done or not.
        case unknown
        /// It was answered, but not with what the caller reads.
        case unreadable
    }

    package let outcome: Outcome
    /// The server's code, if it said one.
    package let state: SQLState?
    package let message: String

    package init(_ outcome: Outcome, _ message: String, _ state: SQLState? = nil) {
        (self.outcome, self.message, self.state) = (outcome, message, state)
    }

    package var description: String { state.map { "\(message) (SQLSTATE \($0.code))" } ?? message }

    /// The same reason for another statement.
    func with(_ outcome: Outcome) -> PostgresError { PostgresError(outcome, message, state) }
}

/// PostgreSQL's code for an error.
package struct SQLState: Equatable, Sendable {
    package let code: String

    package init(_ code: String) { self.code = code }

    package static let uniqueViolation = SQLState("23505")
    package static let invalidAuthorization = SQLState("28000")
    package static let invalidPassword = SQLState("28P01")
    package static let undefinedTable = SQLState("42P01")
    package static let diskFull = SQLState("53100")
    package static let tooManyConnections = SQLState("53300")
    package static let queryCancelled = SQLState("57014")
    package static let adminShutdown = SQLState("57P01")
    package static let crashShutdown = SQLState("57P02")
    package static let cannotConnectNow = SQLState("57P03")
}
