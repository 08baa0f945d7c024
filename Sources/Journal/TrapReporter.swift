// Crash note of a node that traps: the trap handler holds the process until another thread has written to the database which session's code trapped.

import EventLoop
import GameFlow
import Sessions
import Store

final class TrapReporter: Sendable {
    /// Maximum time that the handler holds the process. It is shorter than the rest of a lease, so that no other node owns the shard before the note
    /// is stored.
    private static let timeoutMilliseconds: Int32 = 2_000

    private let page: FlightPage
    private let isStored: Waker
    /// Made from the sessions while the loop is blocked. Used by the mail's thread alone.
    private nonisolated(unsafe) var note: TrapNote?
    private nonisolated(unsafe) unowned let persistence: Persistence
    private let commands: [FlightNames.Command]

    init(of persistence: Persistence, by thread: MailThread, _ commands: [FlightNames.Command]) throws(LoopFailure) {
        (self.persistence, self.commands) = (persistence, commands)
        isStored = try Waker()
        page = try FlightPage(
            calling: thread.waker, answeredBy: isStored, atMost: Self.timeoutMilliseconds)
        page.begin(for: persistence.sessions)
        thread.install { [self] mail throws(StoreError) in try report(over: mail) }
    }

    /// Later traps are not blamed on a session.
    func end() { page.end(for: persistence.sessions) }

    /// Stores the crash note if the process has trapped.
    private func report(over mail: any StoreMessages) throws(StoreError) {
        guard let mark = page.trapped else { return }
        if note == nil { note = persistence.trapNote(of: mark, commands) }
        if let note { try mail.leave(note) }
        persistence.delegate?.processDidTrap()
        isStored.wake()
    }
}
