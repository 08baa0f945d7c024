// A backup, from the command to the file: copied on the writer's thread, a megabyte between appends, and completed on another thread,
// which may wait for the disk.

import Dispatch
import Sessions
import Store
import Synchronization

final class BackupWork: Sendable {
    private struct State {
        var report = BackupReport()
        var began = ContinuousClock.now
        /// Whether its end has not been reported yet.
        var isNews = false
    }

    private let state = Mutex(State())
    private let completing = DispatchGroup()
    private let whenReported: @Sendable () -> Void

    // Used on the writer's queue alone.
    private nonisolated(unsafe) var backup: (any Backup)?

    init(whenReported: @escaping @Sendable () -> Void) {
        self.whenReported = whenReported
    }

    var report: BackupReport { state.withLock { $0.report } }

    /// The report of its end, returned once.
    var news: BackupReport? {
        state.withLock { state in
            defer { state.isNews = false }
            return state.isNews ? state.report : nil
        }
    }

    /// False if a backup is already running.
    func claim(_ path: String) -> Bool {
        state.withLock { state in
            guard state.report.status != .running else { return false }
            state = State(report: BackupReport(status: .running, path: path))
            return true
        }
    }

    // MARK: On the writer's queue

    var isCopying: Bool { backup != nil }

    func begin(of store: any Store) {
        let path = report.path
        trying { () throws(StoreError) in backup = try store.beginBackup(to: path) }
    }

    /// Copies the next piece, if a copy is running.
    func step() {
        guard let backup else { return }
        trying { () throws(StoreError) in
            let isMore = try backup.copy()
            let progress = backup.progress
            state.withLock { $0.report.progress = progress }
            if !isMore { complete(backup) }
        }
    }

    private func trying(_ body: () throws(StoreError) -> Void) {
        do throws(StoreError) {
            try body()
        } catch {
            backup = nil
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
    func abandon(because reason: String) {
        guard let backup else { return }
        backup.cancel()
        self.backup = nil
        end(with: "it was given up: \(reason)")
    }

    /// Gives up a running copy, and waits for a copied one to be completed.
    func finish() {
        abandon(because: "the daemon has ended")
        completing.wait()
    }

    private func end(with error: String? = nil, bytes: Int = 0) {
        state.withLock { state in
            state.report.status = error == nil ? .done : .failed
            state.report.error = error
            state.report.bytes = bytes
            state.report.took = state.began.duration(to: .now)
            state.isNews = true
        }
        whenReported()
    }
}
