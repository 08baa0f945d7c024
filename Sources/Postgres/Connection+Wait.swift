// Waits for the server, and writes unsent data meanwhile, so that the two sides do not wait for each other.

import CPostgres
import Glibc

/// Why a wait is over.
package enum WaitResult: Equatable, Sendable {
    /// `next` will not wait.
    case answer
    /// There are notifications to take.
    case notification
    /// The other descriptor is readable.
    case readable
    case deadline
    /// The connection is lost: `next` returns why, for each statement in flight.
    case lost(PostgresError)
}

extension Connection {
    /// Waits for the next answer or notification, or until another descriptor is readable. The connection stays open if the deadline
    /// passes.
    package func wait(until deadline: Deadline, orReadable other: Int32 = -1) -> WaitResult {
        while true {
            if case .lost(let reason) = state { return .lost(reason) }
            if hasAnswer { return .answer }
            if let handle, listener.collectNotifications(of: handle) { return .notification }
            if let wakening = pollOnce(until: deadline, other) { return wakening }
        }
    }

    /// The payloads of the notifications since the last call. Without any, waits for the next one, as `wait` does.
    package func notifications(until deadline: Deadline, orReadable other: Int32 = -1) throws(PostgresError) -> [String] {
        if listener.payloads.isEmpty, case .lost(let reason) = wait(until: deadline, orReadable: other) { throw reason }
        return exchange(&listener.payloads, with: [])
    }

    /// Whether something expected can be taken without a wait.
    private var hasAnswer: Bool {
        guard let handle, isConversing || !underWay.isEmpty else { return false }
        if case .broken = state { return true }
        return underWay.pending != nil || PQisBusy(handle) == 0
    }

    /// Writes and reads once, when that is possible. Nil if something may have come of it.
    private func pollOnce(until deadline: Deadline, _ other: Int32) -> WaitResult? {
        guard let handle else { return nil }
        let left = PQflush(handle)
        guard left >= 0 else {
            recordBreak()
            return nil
        }
        let input = Int16(POLLIN)
        var watched = (
            server: pollfd(fd: PQsocket(handle), events: left == 1 ? input | Int16(POLLOUT) : input, revents: 0),
            interrupter: pollfd(fd: interrupter.descriptor, events: input, revents: 0),
            other: pollfd(fd: other, events: input, revents: 0)
        )
        let milliseconds = deadline.milliseconds
        withUnsafeMutableBytes(of: &watched) { _ = poll($0.bindMemory(to: pollfd.self).baseAddress, 3, milliseconds) }
        if watched.interrupter.revents != 0 {
            lose(loss("it was interrupted", nil))
            return nil
        }
        let hasServer = watched.server.revents != 0
        if hasServer { read() }
        if watched.other.revents != 0 { return .readable }
        return !hasServer && deadline.isOver ? .deadline : nil
    }

    private func read() {
        if let handle, PQconsumeInput(handle) == 0 { recordBreak() }
    }

    /// Data that arrived before is read first, if a caller waits for it.
    private func recordBreak() {
        if case .broken = state { return }
        guard let handle, PQstatus(handle) == CONNECTION_BAD, isConversing || !underWay.isEmpty else { return loseAsBroken() }
        state = .broken(reason: LibraryComplaint(handle).last)
    }

    /// Reads data that arrived while no caller waited: the server may have ended the session.
    func catchUp() {
        while let handle {
            var watched = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
            guard poll(&watched, 1, 0) > 0 else { break }
            read()
            if self.handle != nil { _ = listener.collectNotifications(of: handle) }
        }
        if listener.farewell != nil { loseAsBroken() }
    }
}
