// Persistence of a daemon's sessions: its shards and where each is on its way, and the output that must wait for the store.

import Cluster
import Dispatch
import EventLoop
import GameFlow
import Logging
import Memory
import Posix
import Sessions
import Store
import Texts

package final class Persistence: SessionPersistence {
    package let journal: Journal
    let sessions: Sessions
    let loop: Loop
    let log: Log
    /// History entries kept per session.
    let sessionHistory: Int
    let store: any Store
    let clock: StoreClock
    let tables: TablesWriter
    let reader: ShardReader
    let backups: BackupWork?
    /// Nil if no other daemon uses the store.
    let mailroom: MailRouter?
    private var workers: [Worker] = []
    /// The shards that are here, those to come, and those that leave.
    var shards: [Int: Shard] = [:]
    /// By number, whether its sessions are here: looked at for every request.
    var areHere: [Bool]
    /// The last turn of each shard that leaves.
    private var leaving: [Int: UInt64] = [:]
    /// Why shards that are to come cannot be read, by number.
    var unreadable: [Int: StoreError] = [:]
    var restorer: ShardRestorer?
    /// The restorer's set-aside sessions that are still to be added; nil before all of them are known.
    var toSetAside: ArraySlice<SetAsideSession>?
    /// Whether the next turn restores the rest of the rows read.
    var isRestoreScheduled = false
    /// Whether no timer may fire, since some sessions of a shard are not here yet.
    package internal(set) var isRestoring = false {
        didSet {
            guard isRestoring != oldValue else { return }
            delegate?.restoringDidChange()
            mailroom?.schedule()
        }
    }
    /// The flight record; nil if none is kept.
    package var flight: FlightLog?
    private var trapReporter: TrapReporter?
    /// Sessions that cannot be restored here, by name.
    var held: [ByteString: SetAsideRow] = [:]
    /// The histories of those of them that were dropped.
    var dropped: [ByteString: [StoredEntry]] = [:]
    private var watch: WakerWatch?
    private let workerEvents: WorkerEvents
    private var flush: Delay?
    private var reportedFailure: String?
    private var reportedTablesFailure: String?
    /// Rows that a database which had gone back in time has got again, as the log has them.
    package internal(set) var rewrittenRows = 0
    /// How often such rows were found.
    package var rewinds = 0
    /// Shards with tables that lack changes: see `saveNextAgain`.
    var gaps: [Shard: TablesGap] = [:]
    private var releasedThrough: UInt64 = 0
    private var retractedThrough: UInt64 = 0
    /// The journal's count of records at the end of the last turn.
    private var recordedBefore = 0
    private var probes = Completions<String?>()
    /// Waits until a backup's file is created.
    var backupStarts = Completions<String?>()
    private var isLeaving = false
    /// Sessions and history entries restored since the start.
    package internal(set) var restored = (sessions: 0, lines: 0)
    /// The same, with those of a shard that is being restored.
    package var restoredSoFar: Int { restored.sessions + (restorer?.restored ?? 0) }
    /// The daemon or the node that it belongs to.
    package unowned var delegate: (any PersistenceDelegate)?

    private static let flushMilliseconds = 50
    /// Connections that read shards, where there may be several.
    private static let readers = 3

    /// `historyLines`: history entries of all shards together. `sessionHistory`: entries kept per session.
    package init(
        _ store: any Store, of sessions: Sessions, on loop: Loop, _ clock: StoreClock = .ofMachine, historyLines: Int,
        sessionHistory: Int, log: Log
    ) throws {
        guard let map = ShardMap(count: store.shardCount) else {
            throw StoreError(.damaged, "\(store.place) has \(store.shardCount) shards, which is impossible")
        }
        (self.sessions, self.loop, self.log, self.store, self.clock) = (sessions, loop, log, store, clock)
        self.sessionHistory = sessionHistory
        areHere = Array(repeating: false, count: map.count)
        let events = try WorkerEvents()
        workerEvents = events
        let lines = max(sessionHistory, historyLines / map.count)
        let recent = store.sharing.map { _ in RecentRows() }
        let worker = try Worker(named: "gamed.log")
        let tablesWorker = store.hasOneConnection ? worker : try Worker(named: "gamed.tables", qos: .utility)
        tables = TablesWriter(store, historyLines: lines, on: tablesWorker) { events.notify() }
        let writer = LogWriter(store, tables, recent, on: worker) { events.notify($0) }
        tables.logWorker = worker
        reader = ShardReader(clock, recent, historyLines: lines) { events.notify() }
        let journal = Journal(writer, store.durability, map, clock, sessions.actors)
        self.journal = journal
        backups = store.whyNoBackup == nil ? BackupWork(of: store, writer, on: worker) { events.notify() } : nil
        mailroom =
            if let recent, let sharing = store.sharing {
                try MailRouter(sharing, of: sessions, journal, recent, on: loop, log: log)
            } else {
                nil
            }
        watch = try WakerWatch(events.waker, on: loop) { [unowned self] in handleWorkerEvents() }
        flush = try Delay(on: loop) {}
        if map.count > 1, sessions.setAsideSessions.isEmpty {
            sessions.setAsideSessions = SetAsideSessions(groups: map.count) { $0.withBytes { map.shard(of: $0) } }
        }
        sessions.recorder = journal
        sessions.storedEntries = UInt64(max(0, store.historyCapacity))
        sessions.persistence = self
        hostedFlowsDidChange()
        try startWorkers(worker, tablesWorker, writer)
    }

    private func startWorkers(_ worker: Worker, _ tablesWorker: Worker, _ writer: LogWriter) throws {
        if store.hasOneConnection {
            let load = reader.makeJob(store, on: worker)
            worker.start([writer, load, tables] + (backups.map { [$0] } ?? []))
            workers = [worker]
            return
        }
        let readers = try (0..<Self.readers).map { try Worker(named: "gamed.loading-\($0)") }
        let loads = readers.map { reader.makeJob(store, on: $0) }
        worker.start([writer])
        tablesWorker.start([tables])
        for (reader, load) in zip(readers, loads) { reader.start([load]) }
        workers = [worker, tablesWorker] + readers
    }

    /// Without `finish`, changes that are not committed yet are lost.
    deinit {
        sessions.persistence = nil
        for worker in workers { worker.abandon() }
    }

    /// From now on, if a session's flow traps, the next owner of its shard quarantines the session. `commands` are the commands that can be running
    /// then.
    package func enableTrapReports(_ commands: [FlightNames.Command]) {
        guard let mailroom else { return }
        do throws(LoopFailure) {
            trapReporter = try TrapReporter(of: self, by: mailroom.thread, commands)
        } catch {
            log.error("a session that traps will not be quarantined: \(error)")
        }
    }

    // MARK: Shards

    package var map: ShardMap { journal.map }

    package func load(_ shard: Shard) {
        shards[shard.number] = shard
        reader.read(shard, after: flight?.quarantine)
    }

    /// Requires that its sessions are here: they are gone at once. `.released` is reported when all their changes are committed.
    package func release(_ number: Int) {
        guard areHere[number] else { return }
        mailroom?.close(number)
        recordBeforeDowntime(ofShard: number)
        journal.submitTurn()
        evict(number)
        leaving[number] = journal.handedOver
        areHere[number] = false
    }

    /// Records the shard's sessions that the tables lack, and those with running `freeze` timers, so that their rows have the present remaining
    /// times. Called before the shard is released and before the process ends: the downtime begins then.
    private func recordBeforeDowntime(ofShard number: Int) {
        guard areHere[number], let shard = shards[number] else { return }
        saveAllAgain(in: shard)
        guard sessions.canHaveFreezeTimers else { return }
        // Apart from changes: these were acknowledged, and the times are not.
        journal.submitTurn()
        for slot in slots(of: number) {
            sessions.recordRunningFreezeTimer(inSlot: slot)
            journal.submitLargeTurn(ofTimersAlone: true)
        }
        journal.submitTurn(ofTimersAlone: true)
    }

    /// Its sessions are gone at once, and no further event reports it. `withChanges`: those that are not committed yet are dropped.
    package func forget(_ number: Int, withChanges: Bool = true) {
        guard let shard = shards.removeValue(forKey: number) else { return }
        areHere[number] = false
        leaving[number] = nil
        unreadable[number] = nil
        mailroom?.close(number)
        reader.forget(number)
        journal.disown(number)
        if withChanges { journal.writer.disown(shard) }
        tables.forget(shard)
        if restorer?.load.shard == shard { endRestoring() }
        evict(number)
    }

    /// The same of all shards. Changes in shards that a leaving node still has at its deadline are committed until `finish` returns, unless another
    /// node has the shard by then: the store refuses them as it does those of any former owner.
    package func forgetAll() {
        if isLeaving {
            for number in shards.keys { recordBeforeDowntime(ofShard: number) }
            journal.submitTurn()
        }
        for number in shards.keys { forget(number, withChanges: !isLeaving) }
    }

    func evict(_ number: Int) {
        for slot in slots(of: number) { sessions.evict(slot) }
        sessions.evictDrops { shard(of: $0) == number }
        if !dropped.isEmpty { dropped = dropped.filter { shard(of: $0.key) != number } }
        guard !sessions.setAsideSessions.isEmpty else { return }
        let gone = setAside(ofShard: number).map(\.name)
        for name in gone { held[name] = nil }
        sessions.evict(setAside: gone)
    }

    /// The slots that may have sessions of this shard.
    func slots(of number: Int) -> [UInt32] { journal.slots(of: number) ?? sessions.all.map(\.machine.tag) }

    /// Whether the sessions of this shard are here.
    package func serves(_ number: Int) -> Bool { areHere[number] }

    /// The sessions of this shard that are here; some of another may be among them.
    package func sessions(ofShard number: Int) -> [Session] {
        areHere[number] ? slots(of: number).compactMap(sessions.find(inSlot:)) : []
    }

    /// How many shards are to come.
    package var loadingCount: Int { shards.values.count { isLoading($0) } }

    func isLoading(_ shard: Shard) -> Bool {
        shards[shard.number] == shard && !areHere[shard.number] && leaving[shard.number] == nil
    }

    /// Whether there are shards to come, but for those that cannot be read.
    package var isLoading: Bool { loadingCount > unreadable.count }

    /// Why this shard cannot be read; nil if it can.
    package func problem(ofShard number: Int) -> String? { unreadable[number]?.description }

    // MARK: Events of the workers

    private func handleWorkerEvents() {
        guard workerEvents.consumeFlag() else { return }
        reportLost()
        collectGaps()
        restoreLoaded()
        reportBackup()
        logTablesFailure()
        completeProbes()
    }

    private func reportLost() {
        let lost = journal.writer.drainLost().filter { shards[$0.number] == $0 }
        for shard in lost { forget(shard.number) }
        if !lost.isEmpty { delegate?.shardsDidChange(lost.map { .lost($0) }) }
    }

    private func logTablesFailure() {
        let failure = tables.failure
        guard failure != reportedTablesFailure else { return }
        reportedTablesFailure = failure
        if let failure {
            log.error("cannot update the tables: \(failure)")
        } else {
            log.notice("the tables are up to date again")
        }
    }

    // MARK: Turns

    /// Called at the end of every turn, before any of its output leaves.
    package func endTurn() -> TurnEnd {
        let report = journal.writer.report
        if journal.endTurn(report), let flush, !flush.isRunning { flush.start(milliseconds: Self.flushMilliseconds) }
        reportReleased(report)
        let failure = report.failure?.description
        let hasChanges = journal.recorded != recordedBefore
        recordedBefore = journal.recorded
        // While the store fails, answers to requests that change nothing need not wait for it.
        let mustWait = hasChanges || failure == nil
        var end = TurnEnd(
            safeThrough: report.safeThrough, awaited: mustWait ? journal.awaited(report) : nil, failure: failure,
            failureHasChanged: failure != reportedFailure)
        // If other nodes can take over the sessions, uncommitted changes may be lost. They are hidden meanwhile.
        end.hidesSessions = failure != nil && mailroom != nil
        reportedFailure = failure
        if report.lostThrough > retractedThrough {
            retractedThrough = report.lostThrough
            end.lostAfter = min(releasedThrough, report.lostThrough)
            // This turn's replies may depend on lost changes.
            end.awaited = journal.durability == .always ? journal.lastTurn : nil
        }
        releasedThrough = report.safeThrough
        return end
    }

    private func reportReleased(_ report: WriterReport) {
        guard !leaving.isEmpty, report.isCurrent else { return }
        // The writer loses a shard before it reports that the others are current.
        reportLost()
        var events: [ShardEvent] = []
        for (number, turn) in leaving where report.safeThrough >= turn {
            guard let shard = shards[number] else { continue }
            forget(number)
            events.append(report.lostThrough >= turn && turn > releasedThrough ? .lost(shard) : .released(shard))
        }
        if !events.isEmpty { delegate?.shardsDidChange(events) }
    }

    /// Bytes that are not safe yet.
    package var backlogBytes: Int { journal.backlogBytes }

    /// Bytes handed over and not safe yet, for other threads to ask while this one waits for the end.
    package var unwritten: @Sendable () -> Int { { [writer = journal.writer] in writer.backlogBytes } }

    /// The node begins to leave: changes that are lost from here on count for the exit status.
    package func prepareToLeave() {
        isLeaving = true
        journal.prepareToLeave()
    }

    /// Returns once everything is as safe as it becomes, or soon after `timeout`: nothing waits for the store or connects to it
    /// then. Throws if changes are not written.
    package func finish(within timeout: Duration? = nil) throws(StoreError) {
        // First, since a flow's code encodes its states: if that traps, the session is quarantined.
        for number in shards.keys { recordBeforeDowntime(ofShard: number) }
        flight?.end(for: sessions)
        trapReporter?.end()
        mailroom?.thread.close()
        journal.submitTurn()
        reader.cancel()
        Worker.finish(workers, within: timeout.map { .milliseconds($0.milliseconds) }) { [store] in store.cancelConnections() }
        store.cancelConnections()
        mailroom?.thread.waitForEnd()
        let (writer, failure) = (journal.writer, journal.writer.report.failure)
        if let failure, !writer.lacksOnlyTimers { throw stopError(failure) }
        if let failure { log.warning("the remaining times of 'freeze' timers at the stop are not stored: \(failure)") }
        guard mailroom == nil || !writer.lacksChanges else {
            let problem = writer.unwritten.isEmpty ? "cannot confirm the last commits" : "the last changes were not committed"
            throw stopError(StoreError(.unknown, problem))
        }
        try store.close()
    }

    // MARK: Flows that change

    package func hostedFlowsDidChange() {
        flight?.updateNames(from: sessions, log: log)
        if mailroom != nil { reader.host(Set(sessions.flows.map(\.name))) }
        delegate?.hostedFlowsDidChange()
    }

    // MARK: Probes

    package func probeDisk(_ onKnown: @escaping (_ failure: String?) -> Void) {
        probes.add(onKnown)
        if probes.count == 1 { journal.writer.probe() }
    }

    private func completeProbes() {
        guard probes.count > 0, let answer = journal.writer.takeProbeAnswer() else { return }
        probes.takeAll().complete(with: answer)
    }
}

extension [Finding] {
    /// Logs the findings of the start.
    package func write(to log: Log) {
        for finding in self {
            if finding.isLoss { log.error(finding.sentence) } else { log.notice(finding.sentence) }
        }
    }
}
