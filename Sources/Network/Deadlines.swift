// Deadlines for connections: to authenticate, or to read their last replies.

import EventLoop
import Sessions
import Timers

/// Tells each connection when its deadline has passed, unless it is removed before. Real time, also where flows run on virtual time.
final class Deadlines {
    /// Deadlines within this many milliseconds of each other expire together.
    private static let grainMilliseconds = 20

    private var entries: [Int: (connection: Connection, due: Instant)] = [:]
    private let clock = SystemClock()
    private var delay: Delay?
    /// When the delay ends, if it is running.
    private var end = Instant.last

    init(on loop: Loop) throws(LoopFailure) {
        delay = try Delay(on: loop) { [unowned self] in fireExpired() }
    }

    var count: Int { entries.count }
    /// The oldest first.
    var inOrder: [Connection] {
        entries.values.sorted { ($0.due, $0.connection.id) < ($1.due, $1.connection.id) }.map(\.connection)
    }

    func add(_ connection: Connection, milliseconds: Int) {
        let due = clock.now.advanced(by: .milliseconds(milliseconds))
        entries[connection.id] = (connection, due)
        // A limit may be shorter now than it was for the others.
        if delay?.isRunning == false || due < end { schedule(due, after: milliseconds) }
    }

    private func schedule(_ due: Instant, after milliseconds: Int) {
        end = due
        delay?.start(milliseconds: max(milliseconds, Self.grainMilliseconds))
    }

    func remove(_ connection: Connection) {
        guard entries.removeValue(forKey: connection.id) != nil, entries.isEmpty else { return }
        delay?.stop()
    }

    private func fireExpired() {
        let now = clock.now
        let due = entries.values.filter { $0.due <= now }
        for entry in due {
            remove(entry.connection)
            entry.connection.handleDeadline()
        }
        guard let next = entries.values.map(\.due).min() else { return }
        schedule(next, after: now.duration(to: next).milliseconds)
    }
}

// MARK: - Connections used lately: they keep their buffers, and release them when idle.

final class RecentConnections {
    /// How long an idle connection keeps its buffers, in milliseconds.
    private static let idleMilliseconds = 5_000

    private var warm: [Int: Connection] = [:]
    private var delay: Delay?

    init(on loop: Loop) throws(LoopFailure) {
        delay = try Delay(on: loop) { [unowned self] in coolDown() }
    }

    func add(_ connection: Connection) {
        connection.isWarm = true
        warm[connection.id] = connection
        if delay?.isRunning == false { delay?.start(milliseconds: Self.idleMilliseconds) }
    }

    func remove(_ connection: Connection) {
        guard connection.isWarm else { return }
        warm[connection.id] = nil
    }

    /// Releases the buffers of all; those used again become warm again.
    func coolDown() {
        let now = warm
        warm = [:]
        for connection in now.values { connection.releaseBuffers() }
    }
}
