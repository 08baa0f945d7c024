// Persistence of a daemon's sessions: hands each turn's changes to the journal, and knows which output must wait for the disk.

import EventLoop
import GameFlow
import Logging
import Posix
import RESP
import Sessions
import Store

/// Lives as long as the daemon does.
package final class Persistence: TurnPersistence, HoldsSessions {
    /// The daemon's limits, as far as persistence needs them.
    package struct Limits {
        let historyLines: Int
        /// History lines kept per session.
        let sessionHistory: Int

        package init(historyLines: Int, sessionHistory: Int) {
            self.historyLines = historyLines
            self.sessionHistory = sessionHistory
        }
    }

    package let journal: Journal
    package let sessions: Sessions
    let loop: Loop
    let log: Log
    let limits: Limits
    /// The flight record; nil if none is kept.
    package var flight: Flight?
    /// Sessions that the start has set aside.
    var held: [ByteString: HeldSession] = [:]
    /// The histories of those of them that were dropped.
    var dropped: [ByteString: [StoredLine]] = [:]
    private var watch: WakerWatch?
    /// The failure last reported to the daemon.
    private var toldFailure: String?
    private var flush: Delay?
    /// Wait for the answer of the disk.
    private var askers: [(String?) -> Void] = []
    /// The last batch handed over by the end of the last turn.
    private var followed: UInt64 = 0

    /// How long a change may wait for others to be written with it.
    private static let flushMilliseconds = 50

    package init(
        _ store: any Store, of sessions: Sessions, on loop: Loop, limits: Limits, log: Log
    ) throws(LoopFailure) {
        self.sessions = sessions
        self.loop = loop
        self.limits = limits
        self.log = log
        let waker = try Waker()
        let writer = JournalWriter(store, historyLines: limits.historyLines) { waker.wake() }
        journal = Journal(writer, store.durability, on: sessions.timekeeper)
        watch = try WakerWatch(waker, on: loop) { [unowned self] in
            tellOfBackup()
            tellOfDisk()
        }
        flush = try Delay(on: loop) {}
        sessions.recorder = journal
        sessions.persistence = self
    }

    /// Called at the end of every turn, before any of its output leaves.
    package func endTurn() -> TurnEnd {
        if journal.endTurn(), let flush, !flush.isRunning { flush.start(milliseconds: Self.flushMilliseconds) }
        let report = journal.report
        let hasChanges = journal.handedOver != followed
        followed = journal.handedOver
        // While the disk fails, answers to requests that change nothing need not wait for it.
        let mustWait = journal.awaited(report) != nil && (hasChanges || report.failure == nil)
        defer { toldFailure = report.failure }
        return TurnEnd(
            safeThrough: report.safeThrough, awaited: mustWait ? journal.handedOver : nil, failure: report.failure,
            isNews: report.failure != toldFailure)
    }

    /// Bytes on their way to the disk.
    package var backlogBytes: Int { journal.writer.backlogBytes }

    /// The same, for other threads to ask while this one waits for the end.
    package var unwritten: @Sendable () -> Int { { [writer = journal.writer] in writer.backlogBytes } }

    // MARK: The beginning and the end

    /// Restores all sessions. `progress` gets the number restored so far.
    package func recover(
        progress: @escaping (Int) -> Void, whenDone: @escaping (Result<Void, any Error>) -> Void
    ) throws(LoopFailure) -> Recovery {
        let context = Recovery.Context(
            sessions: sessions, loop: loop, writer: journal.writer, flight: flight, log: log,
            historyLines: limits.historyLines, sessionHistory: limits.sessionHistory)
        return try Recovery(context, progress: progress) { [unowned self] result in
            whenDone(result.map { take($0) })
        }
    }

    private func take(_ outcome: Recovery.Outcome) {
        for session in outcome.superseded { giveUp(session) }
        for session in outcome.held { held[session.row.name] = session }
        outcome.findings.tell(log)
        for session in outcome.unrestored {
            sessions.unrestored[session.name] = session
            log.write(
                .error, provokedBy: .setAside, about: LogSubject(session: session.name.text, flow: session.flow), session.report
            )
        }
        if outcome.restored + outcome.lines > 0 {
            let lines = outcome.lines == 1 ? "1 line" : "\(outcome.lines) lines"
            log.notice(
                "restored \(outcome.restored == 1 ? "1 session" : "\(outcome.restored) sessions") and \(lines) of history")
        }
    }

    /// Returns once everything is on disk.
    package func finish() throws {
        flight?.end(for: sessions)
        try journal.finish()
    }

    // MARK: Sessions that were set aside

    var moment: StoredTime { StoredTime(bootID: TurnClock.bootID, time: TurnClock.now()) }

    func note(_ last: LastLine) { journal.note(last) }

    func move(_ lines: [StoredLine], to slot: UInt32) { journal.writer.move(lines, to: Int64(slot)) }

    func giveUp(_ session: UnrestoredSession) {
        held[session.name] = nil
        journal.drop(session)
    }

    // MARK: Flows that change

    package func followFlows() { flight?.follow(sessions, log: log) }

    // MARK: Backups

    package var directory: String { journal.writer.directory }
    package var whyNoBackup: String? { nil }
    package var backup: BackupReport { journal.writer.backup.report }

    package func beginBackup(to path: String) -> Bool {
        // The backup includes everything acknowledged so far.
        journal.handOver()
        return journal.writer.beginBackup(to: path)
    }

    private func tellOfBackup() {
        guard let report = journal.writer.backup.news else { return }
        if let error = report.error {
            log.error("the backup \(report.path): \(error)")
        } else {
            log.notice("the backup \(report.path) is complete, \(report.bytes) bytes")
        }
    }

    // MARK: Health

    package var figures: JournalFigures { journal.figures }

    package func tryDisk(_ whenKnown: @escaping (String?) -> Void) {
        askers.append(whenKnown)
        if askers.count == 1 { journal.writer.tryDisk() }
    }

    private func tellOfDisk() {
        guard !askers.isEmpty, let answer = journal.writer.takeDiskAnswer() else { return }
        let told = askers
        askers = []
        for asker in told { asker(answer.failure) }
    }

    package func health(isLoading: Bool) -> [(String, String)] {
        let (report, figures) = (journal.report, journal.figures)
        let now = TurnClock.now().bootNanoseconds
        return [
            ("durability", "\(journal.durability)"), ("directory", directory), ("loading", isLoading ? "1" : "0"),
            ("journal_status", report.failure == nil ? "ok" : "failing"), ("journal_failure", report.failure ?? ""),
            ("journal_failures", "\(report.failures)"), ("journal_backlog_bytes", "\(journal.backlogBytes)"),
            ("journal_commits", "\(figures.commits.count)"), ("journal_batches", "\(figures.batches)"),
            ("journal_written_bytes", "\(figures.bytes)"),
            ("sessions_set_aside", "\(sessions.unrestored.count)"),
            ("sessions_quarantined", "\(sessions.unrestored.quarantinedCount)"),
            // The age of the last moment at which everything was on disk.
            ("last_sync_ms_ago", report.lastSync.map { "\(max(0, now - $0) / 1_000_000)" } ?? ""),
            // Why the log cannot be checkpointed into the database. Nothing is lost, but the log grows.
            ("checkpoint_failure", report.checkpointFailure ?? ""),
        ]
    }
}

extension [Finding] {
    /// Logs what was found at the start.
    package func tell(_ log: Log) {
        for finding in self {
            if finding.isLoss { log.error(finding.sentence) } else { log.notice(finding.sentence) }
        }
    }
}
