// A thread with a connection to the tables of a shared store, which is opened when there is work, and anew after a failure.

import Dispatch
import Store
import Synchronization

final class TablesThread: Sendable {
    private struct State {
        var isScheduled = false
        var isClosing = false
        var failure: String?
    }

    private let store: any SharedStore
    private let queue: DispatchQueue
    private let retryAfter: DispatchTimeInterval
    private let state = Mutex(State())
    private let cancelling = Mutex<(@Sendable () -> Void)?>(nil)

    // Set once, before anything is scheduled.
    nonisolated(unsafe) var work: @Sendable () throws -> Void = {}
    // Used on the thread alone.
    private nonisolated(unsafe) var tables: (any SharedTables)?
    private nonisolated(unsafe) var runs = 0

    init(_ store: any SharedStore, named name: String, qos: DispatchQoS, retryAfter: DispatchTimeInterval) {
        (self.store, self.retryAfter) = (store, retryAfter)
        queue = DispatchQueue(label: name, qos: qos)
    }

    /// Why the last piece of work was not done.
    var failure: String? { state.withLock { $0.failure } }
    var isClosing: Bool { state.withLock { $0.isClosing } }

    /// Has `work` called on the thread, unless that is to happen already.
    func schedule(after interval: DispatchTimeInterval) {
        let must = state.withLock { state in
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if must { queue.asyncAfter(deadline: .now() + interval) { self.run() } }
    }

    /// Ends what is under way.
    func finish() {
        state.withLock { $0.isClosing = true }
        cancelling.withLock { $0?() }
        queue.sync { close() }
    }

    // MARK: On the thread

    private func run() {
        state.withLock { $0.isScheduled = false }
        guard !isClosing else { return }
        runs += 1
        do {
            try work()
            state.withLock { $0.failure = nil }
        } catch {
            close()
            state.withLock { $0.failure = "\(error)" }
            schedule(after: retryAfter)
        }
    }

    var isOpen: Bool { tables != nil }

    func opened() throws(StoreError) -> any SharedTables {
        if let tables { return tables }
        let new = try store.openTables()
        nonisolated(unsafe) let cancelled = new
        cancelling.withLock { $0 = { cancelled.cancel() } }
        tables = new
        return new
    }

    func close() {
        cancelling.withLock { $0 = nil }
        tables?.close()
        tables = nil
    }

    /// Closes the connection after that time, unless there is something to do before.
    func closeIfIdle(for interval: DispatchTimeInterval) {
        guard isOpen else { return }
        let last = runs
        queue.asyncAfter(deadline: .now() + interval) { if self.runs == last { self.close() } }
    }
}
