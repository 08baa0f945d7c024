// In a cluster, a command is carried out by the node that has the session.

import Cluster
import GameFlow
import Logging
import Memory
import RESP
import Sessions
import Texts
import Timers

extension Call {
    /// Throws if another node owns the session that the command names, or no node does just now.
    func checkOwner(in cluster: any ClusterMember) throws(CommandError) {
        switch command.keys {
        case .none: return
        case .first: if count > 1 { try cluster.check(slot: HashSlot.of(arguments[1].bytes)) }
        case .all, .shardedChannels: if let slot = try commonSlot() { try cluster.check(slot: slot) }
        case .channels: try checkOwners(ofChannelsIn: cluster)
        }
    }

    /// The slot of all sessions that the command names; nil if it names none.
    func commonSlot() throws(CommandError) -> Int? {
        var common: Int?
        for index in 1..<max(count, 1) where index == 1 || command.keys.isSeveral {
            guard let slot = slot(ofWord: index) else { continue }
            guard common == nil || common == slot else { throw .crossSlot }
            common = slot
        }
        return common
    }

    private func slot(ofWord index: Int) -> Int? {
        let word = arguments[index].bytes
        switch command.keys {
        case .none: return nil
        case .first, .all: return HashSlot.of(word)
        // Other words, such as SINCE, have no slot.
        case .shardedChannels: return SessionChannel(sharded: ByteString(word)).map { _ in HashSlot.of(word) }
        case .channels: return SessionChannel(plain: ByteString(word))?.slot
        }
    }

    /// Plain channels may be of different slots, as long as this node has them all.
    private func checkOwners(ofChannelsIn cluster: any ClusterMember) throws(CommandError) {
        var (isAnyHere, refusal): (Bool, CommandError?) = (false, nil)
        for index in 1..<count {
            guard let slot = slot(ofWord: index) else { continue }
            do throws(CommandError) {
                try cluster.check(slot: slot)
                isAnyHere = true
            } catch {
                refusal = refusal ?? error
            }
        }
        guard let refusal else { return }
        throw isAnyHere ? .severalNodes : refusal
    }
}

extension Host {
    /// The same for sides that answer without a command.
    package func checkOwner(of session: ByteString) throws(CommandError) {
        try cluster?.check(slot: session.withBytes(HashSlot.of))
    }
}

extension CommandKeys {
    fileprivate var isSeveral: Bool {
        switch self {
        case .none, .first: false
        case .all, .channels, .shardedChannels: true
        }
    }
}

extension CommandError {
    fileprivate static let severalNodes = CommandError(
        .crossSlot, "these sessions are on several nodes; subscribe to each at its own, or to names with the same {tag} in them"
    )
}

extension Host: SessionDelegate {
    package func sessionClockDidStop(_ session: Session) { SessionLog.warn(log, of: session, SessionLog.stopped(session)) }

    package func session(_ session: Session, didFailToRestart reason: String) {
        SessionLog.warn(log, of: session, SessionLog.cannotBeginAnew(session, reason))
    }

    package func session(_ session: Session, didLog text: String) {
        log.write(.info, provokedBy: .sessionWords, about: SessionLog.subject(session), SessionLog.line(text, of: session))
    }

    package func messagesDidStop(_ sentence: String) { log.write(.warning, provokedBy: .sessionTrouble, sentence) }

    package func historyDidLoseEntries(ofFlow name: String) { log.warning(SessionLog.pastIsLost(name)) }

    package func setAsideSessionDidDrop(_ name: ByteString) { feed.sessionDidChange(name) }

    package func dropDidBecomeRestorable() { expireDrops(after: 50) }

    package func limitHooks(_ end: @escaping (_ limit: Duration) -> Void) -> AnyObject? {
        let milliseconds = limits.hookMilliseconds
        return turns?.schedule(after: milliseconds) { end(.milliseconds(milliseconds)) }
    }

    /// Its due timers fire first, also while an ADVANCE is in the middle of an instant.
    package func sessionWillReceive(_ machine: AnyMachine) { if isMidInstant { advances.fireDue(of: machine) } }

    /// Counts a message between sessions as a piece of the turn's work; false once the turn has no time for another.
    package func mayPerformEffect() -> Bool {
        guard let turns, turns.isUnderWay else { return true }
        turns.charge(pieces: 1)
        return !turns.isBudgetExhausted
    }
}

// MARK: - Quota checks

extension Call {
    /// Throws if the client's token has used up the changes of this second.
    func checkRate() throws(CommandError) {
        guard let token = client.token, token.line.quota.rate != nil, command.flags.contains(.changes) else { return }
        try token.chargeChange()
    }

    /// Throws if the client's token has as many sessions as it may have; otherwise counts the one that `begin` begins.
    func beginWithinQuota(_ begin: () throws(CommandError) -> Session) throws(CommandError) -> Session {
        guard let token = client.token, let most = token.line.quota.sessions else { return try begin() }
        let (isFull, work) = token.usage.pruneAndCheckLimit(most, in: host.sessions)
        charge(requests: work / 16)
        guard !isFull else {
            throw CommandError(
                .quota,
                "the token '\(token.id)' has begun \(most) sessions that are still there, as many as it may (quota-sessions)")
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
        throw CommandError(.quota, "the token '\(id)' may make \(rate) changes a second (its rate); try again in a moment")
    }
}

extension Host {
    /// Called after a start: counts sessions against the quota of the token that created them, as far as their history still names it.
    package func countSessionsOfTokens() {
        let limited = access.tokens.all.filter { $0.line.quota.sessions != nil }
        guard !limited.isEmpty else { return }
        var cursor = 0
        repeat {
            let part = sessions.scan(from: cursor, atMost: 1_000)
            for session in part.sessions { count(session) }
            cursor = part.next
        } while cursor != 0
    }

    private func count(_ session: Session) {
        guard let first = session.history(limits.sessionHistory).last(where: { $0.kind == .begun }),
            let actor = session.actor(of: first)
        else {
            return
        }
        access.tokens[actor]?.usage.countSession(session)
    }
}

// MARK: - Denials in the log: each once, and a sum a minute later

/// At most `maxCount` different denials are told apart; the log's own budget limits them all.
package final class DenialLog {
    private struct Denial: Hashable {
        let who: String
        let what: String
    }

    private static let maxCount = 256
    private static let minute = 60_000

    private unowned let host: Host
    /// How often each has come again since it was told.
    private var repeats: [Denial: Int] = [:]
    private var others = 0
    /// Ends the minute.
    private var end: AnyObject?

    init(of host: Host) { self.host = host }

    /// A client was refused a command.
    func record(_ error: CommandError, by client: Client, _ command: String) {
        let isUnknown = error.code == .notAuthenticated
        let who = isUnknown ? client.endpoint?.machine ?? client.address : client.actor ?? client.grant.name
        record(error, to: who, isUnknown ? "what takes a token" : command, at: client.address)
    }

    /// `who` is a user's name, or the machine that the user connects from.
    package func record(_ error: CommandError, to who: String, _ what: String, at address: String) {
        let denial = Denial(who: who, what: what)
        if let count = repeats[denial] { return repeats[denial] = count + 1 }
        guard repeats.count < Self.maxCount else { return others += 1 }
        repeats[denial] = 0
        host.log.write(.notice, provokedBy: .denied, "refused \(what) to \(who.shortened) (\(address)): \(error)")
        if end == nil { end = host.turns?.schedule(after: Self.minute) { [unowned self] in flush() } }
    }

    /// The minute is over.
    func flush() {
        end = nil
        for (denial, count) in repeats where count > 0 {
            host.log.write(
                .notice, provokedBy: .denied,
                "refused \(denial.what) to \(denial.who.shortened), and \(count) more in that minute")
        }
        if others > 0 {
            host.log.write(.notice, provokedBy: .denied, "refused \(others) more commands to others in that minute")
        }
        (repeats, others) = ([:], 0)
    }
}

extension CommandError {
    /// Whether the error depends on the sender, not on the request.
    var isDenial: Bool { code == .noPermission || code == .quota || code == .notAuthenticated }
}
