// A backup, from the command to the file: copied by a worker, a megabyte between commits, and completed on another thread, which may wait
// for the disk.

import Dispatch
import Sessions
import Store
import Synchronization

final class BackupWork: Job, Sendable {
    private struct State {
        var report = BackupReport()
        var began = ContinuousClock.now
        /// Until the worker begins it, the last turn that it must have.
        var awaited: UInt64?
        /// Whether its start, and whether its end, has not been reported yet.
        var isStartUnreported = false
        var isEndUnreported = false
    }

    private let store: any Store
    private let worker: Worker
    private let writer: LogWriter

    private let state = Mutex(State())
    private let completing = DispatchGroup()
    /// Called when its start or its end can be reported.
    private let onReport: @Sendable () -> Void

    // Used by the worker's thread alone.
    private nonisolated(unsafe) var backup: (any Backup)?

    init(of store: any Store, _ writer: LogWriter, on worker: Worker, onReport: @escaping @Sendable () -> Void) {
        (self.store, self.writer, self.worker, self.onReport) = (store, writer, worker, onReport)
    }

    var report: BackupReport { state.withLock { $0.report } }

    /// Its report once it has started or failed to, returned once.
    var unreportedStart: BackupReport? {
        state.withLock { exchange(&$0.isStartUnreported, with: false) ? $0.report : nil }
    }

    /// The report of its end, returned once.
    var unreportedEnd: BackupReport? {
        state.withLock { exchange(&$0.isEndUnreported, with: false) ? $0.report : nil }
    }

    /// Begins a copy, which has all turns up to this one, and changes made while it runs. False if a backup is already running.
    func begin(to path: String, through turn: UInt64) -> Bool {
        let isFree = state.withLock { state in
            guard state.report.status != .running, !state.isStartUnreported, !state.isEndUnreported else { return false }
            state = State(report: BackupReport(status: .running, path: path), awaited: turn)
            return true
        }
        if isFree { worker.wake() }
        return isFree
    }

    // MARK: The job

    func step() -> JobStep {
        startOnceCommitted()
        guard backup != nil else { return .idle(until: nil) }
        copy()
        return .worked
    }

    /// The writer is the worker's first job, but may have been idle just before the turn was handed over.
    private func startOnceCommitted() {
        guard let turn = state.withLock({ $0.awaited }) else { return }
        let log = writer.report
        guard log.failure != nil || log.safeThrough >= turn else { return }
        let path = state.withLock { state in
            state.awaited = nil
            return state.report.path
        }
        if let failure = log.failure { end(with: failure.description, isStart: true) } else { start(path) }
    }

    private func start(_ path: String) {
        do throws(StoreError) {
            backup = try store.beginBackup(to: path)
        } catch {
            return end(with: error.description, isStart: true)
        }
        state.withLock { $0.isStartUnreported = true }
        onReport()
    }

    /// Copies the next piece.
    private func copy() {
        // The copy would lack what the log lacks.
        if let failure = writer.report.failure { return abandon(because: failure.description) }
        guard let backup else { return }
        do throws(StoreError) {
            let isMore = try backup.copy()
            let progress = backup.progress
            state.withLock { $0.report.progress = progress }
            if !isMore { complete(backup) }
        } catch {
            self.backup = nil
            end(with: error.description)
        }
    }

    private func complete(_ backup: any Backup) {
        self.backup = nil
        nonisolated(unsafe) let backup = backup
        DispatchQueue.global().async(group: completing) { [self] in
            do throws(StoreError) {
                try backup.complete()
                end(bytes: backup.size)
            } catch {
                end(with: error.description)
            }
        }
    }

    /// Gives up a copy that is still running.
    private func abandon(because reason: String) {
        guard backup != nil else { return }
        backup = nil
        end(with: "aborted: \(reason)")
    }

    /// Gives up a running copy, and waits for a copied one to be completed.
    func end() {
        abandon(because: "the daemon has ended")
        completing.wait()
    }

    /// `isStart`: it has failed to start, which is reported together with its end.
    private func end(with error: String? = nil, bytes: Int = 0, isStart: Bool = false) {
        state.withLock { state in
            if isStart { state.isStartUnreported = true }
            state.report.status = error == nil ? .done : .failed
            state.report.error = error
            state.report.bytes = bytes
            state.report.took = state.began.duration(to: .now)
            state.isEndUnreported = true
        }
        onReport()
    }
}
