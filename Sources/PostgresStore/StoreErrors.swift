// PostgreSQL's errors in the store's words.

import Postgres
import Store

extension StoreError {
    init(_ error: PostgresError) {
        let cause: Cause =
            switch (error.outcome, error.state) {
            case (.unknown, _): .unknown
            case (_, SQLState.fenced): .lost
            case (_, SQLState.diskFull): .full
            case (.unreadable, _): .damaged
            case (.refused, _), (.notSent, _): .failed
            }
        self.init(cause, error.connectionTrouble ?? "the database: \(error.shown)")
    }
}

extension SQLState {
    /// A division by zero, which stands for an epoch that has passed: an error is what ends a whole transaction at once.
    static let fenced = SQLState("22012")
}

/// Runs what a start asks the database: no client reads the error, and the operator needs all of it.
func askingAtStart<Result>(_ body: () throws(PostgresError) -> Result) throws(StoreError) -> Result {
    do throws(PostgresError) { return try body() } catch { throw StoreError(StoreError(error).cause, "the database: \(error)") }
}

/// Runs what asks the database.
func asking<Result>(_ body: () throws(PostgresError) -> Result) throws(StoreError) -> Result {
    do throws(PostgresError) { return try body() } catch { throw StoreError(error) }
}
