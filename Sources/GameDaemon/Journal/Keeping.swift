// How the daemon and its journal go on together: the end of a turn, what the disk has come to, and what must wait for it.

import Glibc
import JournalStore

/// A daemon's sessions are kept with this. It lives as long as the daemon does.
final class Keeping {
    let journal: Journal
    /// Where it stands whose session is being handled; nil if nobody wants to know.
    var flight: Flight?
    unowned let daemon: Daemon
    private let loop: Loop
    private var watch: WakerWatch?
    /// The failure that the daemon has been told of.
    private var toldFailure: String?
    private var flush: Delay?
    /// What had been handed over by the end of the last turn.
    private var followed: UInt64 = 0

    /// How long a change may wait for others, to be written with them.
    private static let flushMilliseconds = 50

    init(_ store: any Store, of daemon: Daemon) throws(LoopFailure) {
        self.daemon = daemon
        loop = daemon.loop
        let waker = try Waker()
        let writer = JournalWriter(store, historyLines: daemon.limits.historyLines) { waker.wake() }
        journal = Journal(writer, store.durability, on: daemon.timekeeper)
        watch = try WakerWatch(waker, on: loop) { [unowned self] in tellOfBackup() }
        flush = try Delay(on: loop) {}
    }

    /// The end of every turn: the journal first, then whatever may leave.
    func endTurn() {
        if journal.endTurn(), let flush, !flush.isRunning { flush.start(milliseconds: Self.flushMilliseconds) }
        let report = journal.report
        let hasChanges = journal.handedOver != followed
        followed = journal.handedOver
        daemon.connections.releaseHeld(through: report.safeThrough)
        // Where the disk has failed, answers to what changes nothing need not wait for it.
        let mustWait = journal.awaited(report) != nil && (hasChanges || report.failure == nil)
        daemon.connections.releaseOutput(awaiting: mustWait ? journal.handedOver : nil)
        follow(report)
        // What has been done in the very turn in which that became known is not safe either.
        if let failure = report.failure, mustWait {
            daemon.connections.takeBackHeld(Self.inVain(failure), safe: report.safeThrough)
        }
        watchCrowd()
    }

    // MARK: The beginning and the end

    /// Has everything restored that was kept; until then nobody is told anything about sessions.
    func recover(whenDone: @escaping (Result<Void, any Error>) -> Void) throws(LoopFailure) -> Recovery {
        try Recovery(of: daemon, from: journal.writer, historyLines: daemon.limits.historyLines) { [unowned self] result in
            whenDone(result.map { tell($0) })
        }
    }

    private func tell(_ outcome: Recovery.Outcome) {
        outcome.findings.tell(daemon.log)
        for aside in outcome.aside {
            daemon.sessions.aside[aside.name] = aside
            daemon.log.error(aside.report)
        }
        if outcome.restored + outcome.lines > 0 {
            let lines = outcome.lines == 1 ? "1 line" : "\(outcome.lines) lines"
            daemon.log.notice(
                "restored \(outcome.restored == 1 ? "1 session" : "\(outcome.restored) sessions") and \(lines) of history")
        }
    }

    /// A session that had been set aside is given up.
    func giveUp(_ aside: SetAside) {
        journal.drop(aside)
    }

    /// Everything is on disk when this returns.
    func finish() throws {
        flight?.end(for: daemon.sessions)
        try journal.finish()
    }

    private func follow(_ report: WriterReport) {
        guard report.failure != toldFailure else { return }
        toldFailure = report.failure
        if let failure = report.failure {
            let error = CommandError("JOURNAL", failure)
            daemon.log.error("the journal: \(failure)")
            daemon.trouble = error
            loop.holdsTimers = true
            daemon.connections.takeBackHeld(Self.inVain(failure), safe: report.safeThrough)
        } else {
            daemon.log.notice("the journal can be written again")
            daemon.trouble = nil
            loop.holdsTimers = false
        }
    }

    /// For whoever waits for an answer to what cannot be made safe.
    private static func inVain(_ failure: String) -> CommandError {
        CommandError(
            "JOURNAL",
            "\(failure); what you asked may have been done, but it is not on disk: it will be once that can be written, or is lost if gamed ends before"
        )
    }

    /// Once it is over.
    private func tellOfBackup() {
        guard let report = journal.writer.backup.news else { return }
        if let error = report.error {
            daemon.log.error("the backup \(report.path): \(error)")
        } else {
            daemon.log.notice("the backup \(report.path) is complete, \(report.bytes) bytes")
        }
    }

    private func watchCrowd() {
        let isCrowded = journal.writer.backlogBytes > daemon.limits.journalBacklog
        guard isCrowded != daemon.isCrowded else { return }
        daemon.isCrowded = isCrowded
        if !isCrowded { daemon.connections.hearTheCrowd() }
    }
}

extension [Finding] {
    /// What was found at the start, for the operator.
    func tell(_ log: Log) {
        for finding in self {
            if finding.isLoss { log.error(finding.sentence) } else { log.notice(finding.sentence) }
        }
    }
}
