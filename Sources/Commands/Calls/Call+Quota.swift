// Checks of a token's quota: its rate, and the number of its sessions.

import RESP
import Sessions
import Timers

extension Call {
    /// For a change. Throws if the client's token has used up the changes of this second.
    func checkRate() throws(CommandError) { try client.token?.chargeChange() }

    /// Throws if the client's token has as many sessions as it may have; otherwise counts the one that `begin` begins.
    func beginWithinQuota(_ begin: () throws(CommandError) -> Session) throws(CommandError) -> Session {
        guard let token = client.token, let most = token.line.quota.sessions else { return try begin() }
        let (isFull, work) = token.usage.pruneAndCheckLimit(most, in: host.sessions)
        charge(requests: work / 16)
        guard !isFull else {
            throw CommandError(
                .quota,
                "limit of \(most) sessions created by the token '\(token.id)' reached (quota-sessions)")
        }
        let session = try begin()
        token.usage.countSession(session)
        return session
    }
}

extension Token {
    /// Counts a change; throws if it has used up those of this second.
    package func chargeChange() throws(CommandError) {
        guard let rate = line.quota.rate, !usage.consumeAllowance(rate, at: SystemClock().now) else { return }
        throw CommandError(.quota, "the token '\(id)' is limited to \(rate) changes a second (its rate); try again in a moment")
    }
}

extension Host {
    /// Called after a start: counts sessions against the quota of the token that created them, while the history names it.
    package func countSessionsOfTokens() {
        guard hasQuotas else { return }
        var cursor = 0
        repeat { cursor = countSessionsOfTokens(from: cursor) } while cursor != 0
    }

    /// Admits clients with these tokens from now on. A token may have a quota that it had not: its sessions are counted, some in each turn.
    package func replaceTokens(_ tokens: TokenTable) {
        access.replace(tokens)
        if hasQuotas { recountSessionsOfTokens(from: 0) }
    }

    private func recountSessionsOfTokens(from cursor: Int) {
        let next = countSessionsOfTokens(from: cursor)
        if next != 0 { turns?.schedule { [unowned self] in recountSessionsOfTokens(from: next) } }
    }

    /// Sessions counted in a turn.
    private static let countedSessions = 256

    /// Returns where to continue; 0 at the end.
    private func countSessionsOfTokens(from cursor: Int) -> Int {
        let part = sessions.scan(from: cursor, atMost: Self.countedSessions)
        countForTokens(part.sessions)
        return part.next
    }

    /// The same of sessions that another node had.
    package func countSessionsOfTokens(among sessions: @autoclosure () -> [Session]) {
        if hasQuotas { countForTokens(sessions()) }
    }

    private var hasQuotas: Bool { access.tokens.all.contains { $0.line.quota.sessions != nil } }

    private func countForTokens(_ sessions: [Session]) {
        for session in sessions {
            guard let token = session.creator.flatMap({ access.tokens[$0] }), token.line.quota.sessions != nil else { continue }
            token.usage.countSession(session)
        }
    }
}
