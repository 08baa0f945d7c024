// Persistence of a node's sessions in a store that it shares with other nodes: which shards are here, and where each is on its way.

import Cluster
import EventLoop
import GameFlow
import Logging
import Posix
import RESP
import Sessions
import Store
import Timers

/// What has become of a shard, for who decides where shards are.
package enum ShardNews: Equatable, Sendable {
    /// Its sessions are here.
    case loaded(Shard)
    /// It cannot be here: these flows are missing.
    case lacking(Shard, flows: [String])
    /// The definitions here do not fit so many of its sessions, by flow. It is here, and they are set aside; or it is not, since other nodes may have
    /// definitions that fit.
    case unfit(Shard, flows: [String: Int], isHere: Bool)
    /// All that was done to it here is committed, and it is not here any more.
    case letGo(Shard)
    /// Something that was done to it may not have been committed.
    case lost(Shard)
    /// It cannot be read for now. The others can be.
    case unreadable(Shard)
}

package final class SharedPersistence: TurnPersistence, HoldsSessions {
    private enum Phase {
        case loading
        case here
        /// It has gone, as soon as a turn is safe: see `leaving`.
        case leaving
    }

    package let journal: SharedJournal
    let sessions: Sessions
    private let loop: Loop
    let log: Log
    private let limits: Persistence.Limits
    private let store: any SharedStore
    private let clock: SharedClock
    let tables: ShardTables
    let reader: ShardReader
    private var shards: [Int: (shard: Shard, phase: Phase)] = [:]
    /// By number, whether its sessions are here: looked at for every request.
    @exclusivity(unchecked) private var areHere: [Bool]
    /// The last turn of each shard that leaves.
    private var leaving: [Int: UInt64] = [:]
    /// Why shards that are to come cannot be read, by number.
    private var unreadable: [Int: String] = [:]
    private(set) var restoring: ShardRestoring?
    /// Whether the rest of what was read is taken in the next turn.
    private var isTaking = false
    let mailroom: Mailroom
    private var lastWords: LastWords?
    /// Sessions that cannot be restored here, by name.
    var held: [ByteString: HeldSession] = [:]
    var dropped: [ByteString: [StoredLine]] = [:]
    private var watch: WakerWatch?
    private var flush: Delay?
    private var toldFailure: String?
    /// Rows that a database which had gone back in time has got again, as the log has them.
    var reportedRewritten = 0
    /// How often such rows were found.
    package var rewinds = 0
    package var rewrittenRows: Int { reportedRewritten }
    private var releasedThrough: UInt64 = 0
    private var takenBackThrough: UInt64 = 0
    /// What the journal had recorded by the end of the last turn.
    private var followed = 0
    private var askers: [(String?) -> Void] = []
    /// Called with what has become of shards, all at once that has been found out at once.
    package var whenTold: ([ShardNews]) -> Void = { _ in }
    /// Whether a shard is not to be here, since so many of its sessions, by flow, do not fit, and other nodes may fit better. Asked before it is
    /// served.
    package var declines: (_ shard: Int, _ unfit: [String: Int]) -> Bool = { _, _ in false }
    /// Called when a trap ends this node, once others can know of it: by another thread than the loop's, which stands still.
    package var whenTrapped: () -> Void = {}

    private static let flushMilliseconds = 20
    /// Other input waits so long for sessions that are restored.
    private static let sliceNanoseconds: Int64 = 2_000_000

    package init(
        _ store: any SharedStore, of sessions: Sessions, on loop: Loop, _ map: ShardMap, _ clock: SharedClock,
        limits: Persistence.Limits, log: Log
    ) throws {
        (self.sessions, self.loop, self.log, self.limits, self.store, self.clock) = (sessions, loop, log, limits, store, clock)
        areHere = Array(repeating: false, count: map.count)
        let waker = try Waker()
        let lines = max(limits.sessionHistory, limits.historyLines / map.count)
        tables = ShardTables(store, historyLines: lines)
        let recent = RecentRows()
        reader = ShardReader(store, clock, recent, historyLines: lines) { waker.wake() }
        let writer = try SharedWriter(store, tables, recent) { waker.wake() }
        journal = SharedJournal(writer, store.durability, map, clock)
        mailroom = try Mailroom(store, of: sessions, journal, on: loop, log: log)
        watch = try WakerWatch(waker, on: loop) { [unowned self] in lookAround() }
        flush = try Delay(on: loop) {}
        sessions.recorder = journal
        sessions.persistence = self
        followFlows()
    }

    /// From now on, a session whose flow traps is quarantined by whoever takes its shard over. `commands` are those that can be running then.
    package func noteTraps(_ commands: [FlightNames.Command]) {
        do throws(LoopFailure) {
            lastWords = try LastWords(of: self, commands)
        } catch {
            log.error("a session that traps will not be quarantined: \(error)")
        }
    }

    // MARK: Shards

    package func load(_ shard: Shard) {
        shards[shard.number] = (shard, .loading)
        reader.read(shard)
    }

    /// Its sessions are gone at once. `letGo` is told when all that was done to them is committed.
    package func letGo(_ number: Int) {
        guard let (shard, phase) = shards[number] else { return }
        if case .here = phase {
            mailroom.close(number)
            journal.handOver()
            empty(number)
            shards[number] = (shard, .leaving)
            leaving[number] = journal.handedOver
            areHere[number] = false
        } else {
            forget(number)
            whenTold([.letGo(shard)])
        }
    }

    /// Its sessions are gone at once, and nothing more is told of it.
    package func forget(_ number: Int) {
        guard let (shard, _) = shards.removeValue(forKey: number) else { return }
        areHere[number] = false
        leaving[number] = nil
        unreadable[number] = nil
        mailroom.close(number)
        reader.forget(number)
        journal.disown(number)
        journal.writer.disown(shard)
        tables.forget(shard)
        if restoring?.loaded.shard == shard {
            restoring = nil
            isRestoring = false
        }
        empty(number)
    }

    package func forgetAll() {
        for number in shards.keys { forget(number) }
    }

    private func empty(_ number: Int) {
        for slot in journal.slots(of: number) { sessions.letGo(slot) }
        guard !sessions.unrestored.isEmpty else { return }
        let gone = sessions.unrestored.values.map(\.name).filter { shard(of: $0) == number }
        for name in gone { held[name] = nil }
        sessions.letGo(setAside: gone)
    }

    // MARK: News of the threads

    private func lookAround() {
        let lost = journal.writer.takeLost().filter { shards[$0.number]?.shard == $0 }
        for shard in lost { forget(shard.number) }
        if !lost.isEmpty { whenTold(lost.map { .lost($0) }) }
        saveWhatIsMissing()
        takeRead()
        tellOfStore()
    }

    /// Takes what was read, as much as a turn may be kept waiting for.
    private func takeRead() {
        let end = Self.now() + Self.sliceNanoseconds
        while restoring != nil || takeNext() {
            if let restoring, !restoring.step() { finish(restoring) }
            if Self.now() >= end { return takeMoreSoon() }
        }
    }

    private func takeMoreSoon() {
        guard !isTaking else { return }
        isTaking = true
        loop.soon { [weak self] in
            self?.isTaking = false
            self?.takeRead()
        }
    }

    /// False if nothing more has been read.
    private func takeNext() -> Bool {
        guard let reading = reader.next() else { return false }
        guard isLoading(reading.shard) else { return true }
        switch reading {
        case .gone(let shard): lose(shard)
        case .lacks(let shard, let flows):
            (shards[shard.number], unreadable[shard.number]) = (nil, nil)
            whenTold([.lacking(shard, flows: flows)])
        case .unreadable(let shard, let problem): note(problem, of: shard)
        case .loaded(let loaded): begin(loaded)
        }
        return true
    }

    private static func now() -> Int64 { TurnClock.now().bootNanoseconds }

    /// The shard of this number, if it is this node's.
    func shard(_ number: Int) -> Shard? { shards[number]?.shard }

    /// Whether the sessions of this shard are here.
    package func serves(_ number: Int) -> Bool { areHere[number] }

    /// The sessions of this shard that are here; some of another may be among them.
    package func sessions(ofShard number: Int) -> [Session] {
        areHere[number] ? journal.slots(of: number).compactMap(sessions.find(inSlot:)) : []
    }

    /// How many shards are to come.
    package var loadingCount: Int { shards.values.count { if case .loading = $0.phase { true } else { false } } }

    /// Whether there are shards to come, but for those that cannot be read.
    package var isLoading: Bool { loadingCount > unreadable.count }

    /// Why this shard cannot be read; nil if nothing stands against it.
    package func problem(ofShard number: Int) -> String? { unreadable[number] }

    private func note(_ problem: String, of shard: Shard) {
        unreadable[shard.number] = problem
        log.error("shard \(shard.number) cannot be read, and is tried again until it can: \(problem)")
        whenTold([.unreadable(shard)])
    }

    private func isLoading(_ shard: Shard) -> Bool {
        guard let (here, phase) = shards[shard.number], here == shard, case .loading = phase else { return false }
        return true
    }

    private func lose(_ shard: Shard) {
        forget(shard.number)
        whenTold([.lost(shard)])
    }

    private func begin(_ loaded: LoadedShard) {
        unreadable[loaded.shard.number] = nil
        reportLoss(of: loaded)
        journal.own(loaded.shard, after: loaded.summary.lastLogged)
        let (journal, number) = (journal, loaded.shard.number)
        restoring = ShardRestoring(loaded, in: sessions, sessionHistory: limits.sessionHistory) {
            journal.note($0, in: number)
        }
        isRestoring = true
    }

    private func finish(_ restored: ShardRestoring) {
        let shard = restored.loaded.shard
        let unfit = unfit(restored)
        if !unfit.isEmpty, declines(shard.number, unfit) {
            forget(shard.number)
            return whenTold([.unfit(shard, flows: unfit, isHere: false)])
        }
        restoring = nil
        isRestoring = false
        hold(restored)
        shards[shard.number] = (shard, .here)
        areHere[shard.number] = true
        if sessions.areObserved { for slot in journal.slots(of: shard.number) { sessions.haveTaken(slot) } }
        Failpoint.hit("after-restoring")
        whenTold([.loaded(shard)] + (unfit.isEmpty ? [] : [.unfit(shard, flows: unfit, isHere: true)]))
        restored.finish()
        mailroom.open(shard)
    }

    private func hold(_ restored: ShardRestoring) {
        for (name, session) in restored.held {
            held[name] = session
            let row = session.row
            let unrestored = UnrestoredSession(
                name: name, id: HeldSession.nowhere, flow: row.flow, problem: session.problem,
                isQuarantined: session.isQuarantined)
            sessions.unrestored[name] = unrestored
            log.write(
                .error, provokedBy: .setAside, about: LogSubject(session: name.text, flow: row.flow), unrestored.report)
        }
    }

    /// Whether no timer may fire, since some sessions of a shard are not here yet.
    package private(set) var isRestoring = false {
        didSet {
            guard isRestoring != oldValue else { return }
            whenTimersWait()
            mailroom.schedule()
        }
    }
    /// Called when `isRestoring` has changed.
    package var whenTimersWait: () -> Void = {}

    // MARK: Turns

    package func endTurn() -> TurnEnd {
        let report = journal.writer.report
        if journal.endTurn(report), let flush, !flush.isRunning { flush.start(milliseconds: Self.flushMilliseconds) }
        tellOfLeaving(report)
        let failure = report.failure
        let hasChanges = journal.recorded != followed
        followed = journal.recorded
        // What is not committed may be lost yet: nobody sees it. Where that takes longer, nothing is said about sessions, and what has nothing to do
        // with them need not wait.
        let mustWait = hasChanges || failure == nil
        var end = TurnEnd(
            safeThrough: report.safeThrough, awaited: mustWait ? journal.awaited(report) : nil, failure: failure,
            isNews: failure != toldFailure)
        end.hidesSessions = failure != nil
        toldFailure = failure
        if report.givenUpThrough > takenBackThrough {
            takenBackThrough = report.givenUpThrough
            end.givenUpBehind = min(releasedThrough, report.givenUpThrough)
            // What this turn has answered may be about what is lost.
            end.awaited = journal.durability == .always ? journal.lastTurn : nil
        }
        releasedThrough = report.safeThrough
        return end
    }

    private func tellOfLeaving(_ report: SharedReport) {
        guard !leaving.isEmpty, report.isCurrent else { return }
        var told: [ShardNews] = []
        for (number, turn) in leaving where report.safeThrough >= turn {
            guard let shard = shards[number]?.shard else { continue }
            forget(number)
            told.append(report.givenUpThrough >= turn && turn > releasedThrough ? .lost(shard) : .letGo(shard))
        }
        if !told.isEmpty { whenTold(told) }
    }

    package var backlogBytes: Int { journal.backlogBytes }

    /// Returns once everything is committed, or that takes too long.
    package func finish() {
        lastWords?.end()
        mailroom.finish()
        journal.handOver()
        journal.writer.finish(within: .seconds(2))
        reader.finish()
        tables.finish()
    }

    // MARK: Sessions that were set aside

    var moment: StoredTime { StoredTime(bootID: "", time: clock.earliest()) }

    func note(_ last: LastLine) { journal.note(last) }

    /// Lines are found by their session's name.
    func move(_ lines: [StoredLine], to slot: UInt32) {}

    func giveUp(_ session: UnrestoredSession) {
        held[session.name] = nil
        journal.drop(session)
    }

    package func followFlows() {
        reader.host(Set(sessions.flows.map(\.name)))
        whenFlowsChange()
    }

    /// Called when other flows are hosted.
    package var whenFlowsChange: () -> Void = {}

    // MARK: Backups

    package var directory: String { store.place }
    package var whyNoBackup: String? {
        "sessions are in \(directory), which has backups of its own: pg_dump copies it while all nodes run"
    }
    package var backup: BackupReport { BackupReport() }
    package func beginBackup(to path: String) -> Bool { false }

    // MARK: Health

    /// What is in the log and not in the tables yet.
    package var tablesBacklogBytes: Int { tables.backlogBytes }

    /// The lease is renewed each second: whether the database takes anything is known.
    package func tryDisk(_ whenKnown: @escaping (_ failure: String?) -> Void) {
        askers.append(whenKnown)
        loop.soon { [weak self] in self?.tellOfStore() }
    }

    private func tellOfStore() {
        let told = askers
        askers = []
        for asker in told { asker(journal.writer.report.failure) }
    }
}
