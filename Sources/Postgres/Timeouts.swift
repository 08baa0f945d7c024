// How long a connection waits for what, all of it shorter than a lease.

package struct Timeouts: Equatable, Sendable {
    /// For a connection, over all hosts together.
    package var connect: Duration = .seconds(2)
    /// For a statement, by the server's clock, with what it sends. Zero for as long as it takes.
    package var statement: Duration = .milliseconds(2_000)
    /// For a lock that another transaction holds. Zero for as long as it takes.
    package var lock: Duration = .milliseconds(1_500)
    /// For the next statement of an open transaction, by the server's clock. Zero for as long as it takes.
    package var idleInTransaction: Duration = .milliseconds(2_000)
    /// For an answer, by ours.
    package var answer: Duration = .milliseconds(2_500)
    /// For a sign that what was sent has arrived at the other machine.
    package var network: Duration = .milliseconds(2_000)

    package init() {}

    var deadline: Deadline { Deadline(in: answer) }

    /// What libpq is told, below what the address says.
    var keywords: [(name: String, value: String)] {
        [
            ("connect_timeout", "\(max(2, connect.wholeSeconds))"), ("keepalives", "1"),
            ("keepalives_idle", "1"), ("keepalives_interval", "1"), ("keepalives_count", "\(network.wholeSeconds)"),
            ("tcp_user_timeout", "\(network.milliseconds)"),
        ]
    }

    /// What the server is told at the beginning of a session.
    var settings: String {
        """
        SET statement_timeout = \(statement.milliseconds); SET lock_timeout = \(lock.milliseconds); \
        SET idle_in_transaction_session_timeout = \(idleInTransaction.milliseconds); \
        SET tcp_keepalives_idle = 1; SET tcp_keepalives_interval = 1; SET tcp_keepalives_count = \(network.wholeSeconds); \
        SET tcp_user_timeout = \(network.milliseconds); SET default_transaction_isolation = 'read committed'
        """
    }
}

extension Duration {
    fileprivate var milliseconds: Int { Int((self / .milliseconds(1)).rounded(.up)) }
    fileprivate var wholeSeconds: Int { max(1, Int((self / .seconds(1)).rounded(.up))) }
}
