// Whether the daemon is alive, and ready: for supervisors that restart it, and load balancers that send it requests.

import Commands
import JSON
import Sessions
import Timers

/// Answers GET /healthz and GET /readyz. Made once for a daemon.
package final class Health {
    /// A write this recent shows that the disk accepts writes.
    private static let fresh = Duration.seconds(5)
    /// A disk that takes longer than this for a small write is not ready.
    private static let timeout = Duration.seconds(2)

    private unowned let host: Host
    private enum Disk {
        /// It has not been asked, or has answered.
        case quiet
        case asked
        /// It has not answered in time.
        case silent
    }

    private var askers = Completions<HealthReport>()
    private var disk = Disk.quiet
    private var deadline: AnyObject?

    package init(of host: Host) {
        self.host = host
    }

    /// It is asked on the loop: where this can be answered, the loop turns.
    package var live: HealthReport {
        HealthReport(question: .live, isGood: true, reason: "the event loop runs; this is turn \(host.turns?.turns ?? 0)")
    }

    /// Calls `answer` now or in a later turn, and at once where the disk need not be asked.
    package func ready(_ answer: @escaping (HealthReport) -> Void) {
        if let known { return answer(known) }
        guard disk != .silent else { return answer(Self.blocked) }
        askers.add(answer)
        if disk == .quiet { ask() }
    }

    /// The report that needs no disk check.
    private var known: HealthReport? {
        if host.isLoading {
            return .notReady(host.unavailability?.sentence ?? "the sessions are being restored; try again in a moment")
        }
        if let unavailability = host.unavailability { return .notReady(unavailability.sentence) }
        guard let journal = host.persistence?.statistics else {
            return .ready("all sessions are restored; they are not stored on disk")
        }
        if let failure = journal.failure { return .notReady("cannot write: \(failure)") }
        guard let since = journal.sinceWrite, since <= Self.fresh else { return nil }
        return Self.written
    }

    // MARK: The disk

    private func ask() {
        disk = .asked
        let milliseconds = Int(Self.timeout.components.seconds * 1_000)
        deadline = host.turns?.schedule(after: milliseconds) { [weak self] in
            self?.disk = .silent
            self?.complete(with: Self.blocked)
        }
        host.persistence?.probeDisk { [weak self] failure in
            self?.disk = .quiet
            self?.complete(with: failure.map { .notReady("cannot write: \($0)") } ?? Self.written)
        }
    }

    private func complete(with report: HealthReport) {
        deadline = nil
        askers.takeAll().complete(with: report)
    }

    private static let written = HealthReport.ready("all sessions are restored, and the disk accepts writes")
    private static let blocked = HealthReport.notReady(
        "a small write to the disk has not completed for \(timeout.components.seconds) seconds")
}

extension HealthReport {
    fileprivate static func ready(_ reason: String) -> Self { HealthReport(question: .ready, isGood: true, reason: reason) }
    fileprivate static func notReady(_ reason: String) -> Self { HealthReport(question: .ready, isGood: false, reason: reason) }
}

/// Whether the daemon works, and a sentence with the reason.
package struct HealthReport: Equatable {
    package enum Question: String {
        case live
        case ready
    }

    package let question: Question
    package let isGood: Bool
    package let reason: String

    /// The status of an HTTP response.
    package var status: Int { isGood ? 200 : 503 }

    package var json: JSON { [question.rawValue: .bool(isGood), "reason": .string(reason)] }
}
