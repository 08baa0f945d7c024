// How long a connection waits for what, all of it shorter than a lease.

package struct Timeouts: Equatable, Sendable {
    /// For a connection, over all hosts together.
    package var connect: Duration = .seconds(2)
    /// For a statement, by the server's clock, including sending its rows. Zero for no limit.
    package var statement: Duration = .milliseconds(2_000)
    /// For a lock that another transaction holds. Zero for as long as it takes.
    package var lock: Duration = .milliseconds(1_500)
    /// For the next statement of an open transaction, by the server's clock. Zero for as long as it takes.
    package var idleInTransaction: Duration = .milliseconds(2_000)
    /// For an answer, by ours.
    package var answer: Duration = .milliseconds(2_500)
    /// For the acknowledgement of sent data by the other machine.
    package var network: Duration = .milliseconds(2_000)

    package init() {}

    var deadline: Deadline { Deadline(in: answer) }

    /// The keywords for libpq, which the address overrides.
    var keywords: [(name: String, value: String)] {
        [
            ("connect_timeout", "\(max(2, connect.wholeSeconds))"), ("keepalives", "1"),
            ("keepalives_idle", "1"), ("keepalives_interval", "1"), ("keepalives_count", "\(network.wholeSeconds)"),
            ("tcp_user_timeout", "\(network.milliseconds)"),
        ]
    }

    /// The settings sent to the server at the beginning of a session.
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
