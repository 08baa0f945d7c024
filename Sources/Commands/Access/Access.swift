// Access control: admits clients by their token or their user on this machine, and gives them a grant.

import Posix
import RESP
import Timers

package final class Access {
    /// Wrong tokens before a client is cut off.
    package static let maxWrongTokens = 3

    package private(set) var tokens: TokenTable
    /// Users and groups of this machine who may use the UNIX socket.
    package var local: LocalAccess
    /// Whether clients on this machine are asked for no token over TCP and HTTP.
    package let trustsLoopback: Bool
    /// Wrong tokens since the start.
    package private(set) var wrongTokens = 0
    private var tries = FailedAttempts()
    private let clock = SystemClock()

    package init(tokens: TokenTable = .none, local: LocalAccess = LocalAccess(), trustsLoopback: Bool = false) {
        (self.tokens, self.local, self.trustsLoopback) = (tokens, local, trustsLoopback)
    }

    /// The grant of a network client before it authenticates.
    package func networkGrant(isLoopback: Bool) -> Grant {
        !tokens.isAsked || trustsLoopback && isLoopback ? .guest : .stranger
    }

    package func replace(_ new: TokenTable) { tokens = new.keeping(tokens) }

    /// Whether a token is unchanged since it was given out.
    package func isInForce(_ token: Token) -> Bool { tokens[token.id] === token }

    /// The token, or why not; `machine` is where it comes from. The user is `default` or the token's name, if there is one.
    package func admit(_ text: String, of user: String? = nil, from machine: String?) throws(CommandError) -> Token {
        let (now, subject) = (clock.now, TokenTable.subject(text, of: user))
        let token = tokens.find(text, of: user)
        if let machine, let wait = tries.wait(machine, at: now), token == nil || tries.hasGuessed(subject, machine) {
            if token == nil { tries.add(subject, machine, at: now) }
            throw CommandError(
                .limit,
                "\(FailedAttempts.maxCount) wrong tokens came from this address within a minute; try again in \(wait.components.seconds + 1) s"
            )
        }
        if let token { return token }
        wrongTokens += 1
        if let machine { tries.add(subject, machine, at: now) }
        throw CommandError(.wrongToken, "invalid token or user name")
    }
}

// MARK: - Wrong tokens by the address that they came from: after some in a minute, it waits.

struct FailedAttempts {
    private struct Entry {
        let since: Instant
        var count = 0
        /// Hashes of the token names that were guessed at, at most `maxSubjects`: their texts are a client's and of any length.
        var subjects: Set<Int> = []
    }

    static let maxCount = 10
    /// Names of tokens by network. Above, all are taken for guessed at.
    static let maxSubjects = 100
    static let window = Duration.seconds(60)
    private static let maxAddresses = 1_024

    private var entries: [[UInt8]: Entry] = [:]
    var count: Int { entries.count }

    /// How long that address waits before the next guess; nil for one that need not.
    mutating func wait(_ machine: String, at now: Instant) -> Duration? {
        guard let entry = entries[TcpAddress.network(of: machine)], entry.count >= Self.maxCount else { return nil }
        let left = Self.window - entry.since.duration(to: now)
        if left <= .zero { entries[TcpAddress.network(of: machine)] = nil }
        return left > .zero ? left : nil
    }

    /// Whether wrong secrets for that token came from that network in the last minute. Other tokens stay usable, so a screen with an old token does
    /// not lock out the rest.
    func hasGuessed(_ subject: String, _ machine: String) -> Bool {
        guard let subjects = entries[TcpAddress.network(of: machine)]?.subjects else { return false }
        return subjects.count >= Self.maxSubjects || subjects.contains(subject.hashValue)
    }

    mutating func add(_ subject: String, _ machine: String, at now: Instant) {
        let network = TcpAddress.network(of: machine)
        var entry = entries[network] ?? Entry(since: now)
        if entry.since.duration(to: now) >= Self.window { entry = Entry(since: now) }
        entry.count += 1
        if entry.subjects.count < Self.maxSubjects { entry.subjects.insert(subject.hashValue) }
        if entries[network] == nil, entries.count >= Self.maxAddresses { makeRoom(at: now) }
        entries[network] = entry
    }

    private mutating func makeRoom(at now: Instant) {
        entries = entries.filter { $0.value.since.duration(to: now) < Self.window }
        guard entries.count >= Self.maxAddresses, let oldest = entries.min(by: { $0.value.since < $1.value.since }) else {
            return
        }
        entries[oldest.key] = nil
    }
}
