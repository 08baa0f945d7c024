// The daemon: a host of flows, its clients, and the end of each turn.

import Cluster
import Commands
import Console
import Devices
import EventLoop
import GameFlow
import Journal
import Logging
import Memory
import Network
import ClusterRuntime
import Posix
import RESP
import Sessions
import Store
import Texts
import Timers
import Web

final class Daemon: LoopDelegate {
    let loop: Loop
    let host: Host
    let connections: Connections
    /// Simulated devices; there are none until a device file is loaded.
    let bluetooth: BluetoothSource
    /// Persists sessions; nil if they end with the process.
    private(set) var persistence: Persistence?
    /// This daemon as a node of a cluster; nil if all sessions are its own.
    private(set) var node: ClusterNode?
    /// The service around it; nil without one. A weak reference would make each retain of it slower.
    unowned var service: Service?
    /// Whether changes cannot be written.
    private var isJournalFailing = false
    /// Whether the state of sessions may still be lost.
    private var hidesSessions = false
    /// The page; nil without one.
    var web: WebServer?
    /// The console; nil without one.
    var console: Console?
    /// A start that restores the sessions of a store that no other daemon uses.
    private struct Recovery {
        let progress: (Int) -> Void
        let onDone: (Result<Void, StoreError>) -> Void
        /// The number of sessions reported in the log.
        var reported = 0
    }

    private var recovery: Recovery?
    /// The options' sessions that other nodes own. Until that instant, this node begins each of them when its shard comes; one that is missing later
    /// was dropped.
    private var awaited: (sessions: [Options.SessionToBegin], until: Instant) = ([], .zero)
    private static let awaitTimeout = Duration.seconds(60)

    init(
        on loop: Loop, flows: [FlowKind], limits: Limits = Limits(), access: Access = Access(), log: Log = .silent
    ) throws(LoopFailure) {
        self.loop = loop
        host = Host(
            on: loop.timekeeper, flows: flows, commands: .all, limits: limits, access: access, log: log)
        connections = try Connections(of: host, on: loop)
        bluetooth = BluetoothSource(of: host) { [log] in log.notice($0) }
        host.turns = loop
        host.clients = connections
        host.devices = bluetooth
        loop.setDelegate(self)
    }

    deinit {
        loop.setDelegate(nil)
        persistence?.delegate = nil
        node?.server = nil
    }

    var sessions: Sessions { host.sessions }
    var log: Log { host.log }
    var timekeeper: Timekeeper { loop.timekeeper }
    var limits: Limits {
        get { host.limits }
        set { host.limits = newValue }
    }

    /// Begins a session, as `NEW` does.
    package func begin(_ name: String, flow: String, _ beginning: JSON? = nil) throws(UsageError) {
        do throws(CommandError) { try host.begin(name, flow: flow, beginning) } catch { throw UsageError(error.sentence) }
    }

    /// Begins those of the options' sessions that do not exist. In a cluster, only the owner of a session begins it: another session of its name
    /// would hide it once its shard comes here. A node that joins others owns nothing yet: the rest follows with their shards.
    func beginSessions(of options: Options) throws {
        for session in options.sessions where isHere(session.name) {
            try options.locating("session", session.text) { try beginIfMissing(session) }
        }
        awaited = (options.sessions.filter { !isHere($0.name) }, timekeeper.now.advanced(by: Self.awaitTimeout))
    }

    /// One that is set aside has been reported.
    private func beginIfMissing(_ session: Options.SessionToBegin) throws(UsageError) {
        guard sessions[session.name] == nil, sessions.setAsideSessions[ByteString(session.name)] == nil else { return }
        try begin(session.name, flow: session.flow, session.beginning)
    }

    /// Begins each of the options' sessions once its shard has come.
    private func beginAwaited() {
        guard timekeeper.now < awaited.until else { return awaited.sessions = [] }
        for session in awaited.sessions where isHere(session.name) {
            do { try beginIfMissing(session) } catch { log.error("cannot create '\(session.name.shortened)': \(error)") }
        }
        awaited.sessions.removeAll { isHere($0.name) }
    }

    /// Whether a session of this name is here, if it exists.
    func isHere(_ session: String) -> Bool { node?.isHere(slot: HashSlot.of(session)) ?? true }

    /// From now on this daemon is a node of a cluster, and its sessions are those of the node's shards.
    package func join(_ node: ClusterNode, keeping persistence: Persistence) {
        self.node = node
        self.persistence = persistence
        host.persistence = persistence
        host.cluster = node
        node.server = self
        applyLease()
    }

    /// Makes sessions unavailable without a lease, or while they have uncommitted changes that may be lost.
    private func applyLease() {
        let failure = node?.failure
        host.isLoading = failure != nil || hidesSessions
        if !isJournalFailing { host.unavailability = failure.map { CommandError(.clusterDown, $0) } }
        holdTimers()
    }

    /// Without a store, nothing records the lives of earlier runs: a client that knows one of them must not take a new session for it. Each message
    /// has the life, so it is short. In virtual time lives begin at 1, so that tests repeat.
    package func beginLivesAnywhere() {
        if host.virtualClock == nil { sessions.continueLives(afterAtLeast: .random(in: 10_000..<99_999)) }
    }

    /// From now on changes are saved in the store.
    @discardableResult
    package func persist(in store: any Store) throws -> Persistence {
        let persistence = try Persistence(
            store, of: sessions, on: loop, historyLines: limits.historyLines, sessionHistory: limits.sessionHistory, log: log)
        self.persistence = persistence
        host.persistence = persistence
        persistence.delegate = self
        return persistence
    }

    /// Restores the sessions of a store that no other daemon uses; until that is done, commands about sessions are refused.
    package func recover(
        progress: @escaping (Int) -> Void = { _ in }, onDone: @escaping (Result<Void, StoreError>) -> Void
    ) {
        guard let persistence else { return onDone(.success(())) }
        host.isLoading = true
        recovery = Recovery(progress: progress, onDone: onDone)
        sessionsDidRestore()
        persistence.load(.only)
    }

    private func completeRecovery(_ restored: (sessions: Int, lines: Int)) {
        if restored.sessions + restored.lines > 0 {
            log.notice("restored \("session".counted(restored.sessions)) and \("line".counted(restored.lines)) of history")
        }
        host.isLoading = false
        host.unavailability = nil
        recovery?.onDone(.success(()))
    }

    // MARK: A turn of the loop

    package func turnDidBegin() { node?.refreshServing() }

    package func dueTimersAreLeft(_ areLeft: Bool) { host.advances.setMidInstant(areLeft) }

    package func inputDidEnd() { connections.arrivals.answerAll() }

    /// Calls `body` with all that have output which may have to wait for the store.
    private func forEachSide(_ body: (any GatedOutput) -> Void) {
        body(connections)
        if let web { body(web) }
    }

    /// Views are a turn's last output; then the journal, and then output that may leave.
    package func turnWillEnd() {
        if let node, node.consumeLossFlag() { host.subscriptions.cancelAll { node.isHere(slot: $0) } }
        host.subscriptions.endTurn()
        if let web { connections.share(withHTTP: web.endTurn(besides: connections.bytes)) }
        node?.refreshServing()
        if let persistence { endTurn(persistence) } else { forEachSide { $0.releaseOutput(awaiting: nil) } }
        bluetooth.flush()
        connections.releaseClosed()
        console?.endTurn()
    }

    private func endTurn(_ persistence: Persistence) {
        let end = persistence.endTurn()
        release(end)
        if end.failureHasChanged {
            hidesSessions = end.hidesSessions
            applyFailure(end.failure)
        }
        // A failing disk takes nothing, and changes are refused meanwhile: waiting for it would stop reads as well.
        let isDiskBehind = end.failure == nil && persistence.backlogBytes > limits.journalBacklog
        guard isDiskBehind != connections.isDiskBehind else { return }
        connections.isDiskBehind = isDiskBehind
        host.isJournalBehind = isDiskBehind
    }

    /// One order for every side: held replies that are safe leave; those that the disk has not taken become errors; then other output leaves.
    private func release(_ end: TurnEnd) {
        if let behind = end.lostAfter {
            forEachSide { release($0, end, givenUpBehind: behind) }
        } else {
            forEachSide { $0.releaseHeld(through: end.safeThrough) }
        }
        // Changes made in the turn that learns of the failure are not safe either.
        if let awaited = end.awaited { forEachSide { $0.releaseOutput(awaiting: awaited) } }
        if let failure = end.failure, end.failureHasChanged || end.awaited != nil {
            // Another node may take over before the database takes the changes: then they are lost.
            forEachSide {
                $0.retractHeld(notKept(failure), safeThrough: end.safeThrough, keepingMessages: node == nil)
            }
        }
        forEachSide { $0.releaseOutput(awaiting: nil) }
    }

    /// Output waiting for a lost turn is retracted together with this turn's output, which may depend on the same loss.
    private func release(_ side: any GatedOutput, _ end: TurnEnd, givenUpBehind behind: UInt64) {
        side.releaseOutput(awaiting: end.awaited)
        side.retractHeld(.unknownOutcome, safeThrough: behind, keepingMessages: false)
        side.releaseHeld(through: end.safeThrough)
    }

    /// Called when the process is about to end. Pending requests get a reply, since their changes may be durable or not.
    func answerWhatWaits() {
        forEachSide { side in
            // Changes behind this turn's replies are not durable yet, either.
            side.releaseOutput(awaiting: .max)
            side.retractHeld(.endsBeforeAnswer, safeThrough: 0, keepingMessages: false)
            side.answerWaiting(.endsBeforeAnswer)
            side.releaseOutput(awaiting: nil)
        }
    }

    private func applyFailure(_ failure: String?) {
        service?.journalTroubleDidChange(failure)
        host.unavailability = failure.map { CommandError(node == nil ? .journal : .clusterDown, $0) }
        isJournalFailing = failure != nil
        if node == nil { holdTimers() } else { applyLease() }
        if let failure { log.error("the journal: \(failure)") } else { log.notice("the journal can be written again") }
    }

    private func holdTimers() {
        loop.areTimersSuspended = isJournalFailing || (node?.holdsTimers ?? persistence?.isRestoring ?? false)
    }

    /// The error for a client with a change that cannot be written. The writer retries, so the change may still become durable.
    private func notKept(_ failure: String) -> CommandError {
        CommandError(
            node == nil ? .journal : .unknown,
            "\(failure); outcome unknown: the change is applied but not on disk; the daemon keeps trying to write it, and it is lost if the daemon ends first"
        )
    }
}

extension CommandError {
    /// For clients that wait when the process ends.
    fileprivate static let endsBeforeAnswer = CommandError(
        .unknown,
        "this daemon is stopping; outcome unknown: check the session before you retry (IF or ID makes a retry safe)"
    )

    /// For clients that wait for what may be lost.
    fileprivate static let unknownOutcome = CommandError(
        .unknown,
        "the session moved to another node or the database connection was lost; outcome unknown: check the session before you retry (IF or ID makes a retry safe)"
    )
}

extension Loop: TurnBudget {}

extension Daemon: PersistenceDelegate {
    package func restoringDidChange() { holdTimers() }

    package func sessionsDidRestore() {
        guard let persistence, let recovery else { return }
        let restored = persistence.restoredSoFar
        recovery.progress(restored)
        host.unavailability = CommandError(
            .loading, "\(restored) sessions are restored so far, restoring more; try again in a moment")
        guard restored >= recovery.reported + 100_000 else { return }
        self.recovery?.reported = restored
        log.notice("\(restored) sessions are restored so far")
    }

    package func shardsDidChange(_ events: [ShardEvent]) {
        guard let persistence else { return }
        for event in events {
            switch event {
            case .loaded: completeRecovery(persistence.restored)
            case .unreadable(let shard, let error):
                persistence.forget(shard.number)
                recovery?.onDone(.failure(error))
            default: break
            }
        }
    }
}

extension Daemon: ClusterServer {
    package func servingDidChange() { applyLease() }

    package func shardDidLoad(_ number: Int) {
        if let persistence { host.countSessionsOfTokens(among: persistence.sessions(ofShard: number)) }
        if !awaited.sessions.isEmpty { loop.schedule { [weak self] in self?.beginAwaited() } }
    }
}
