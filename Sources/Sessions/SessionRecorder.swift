// Who keeps sessions over a restart, and who is told what happens to them: sessions know them by these protocols alone.

import GameFlow

/// Records what happens to sessions, for a restart.
package protocol SessionRecorder: AnyObject {
    /// The last life that was given out.
    var lastLife: Life { get set }

    /// Something has happened to a session.
    func note(
        _ occurrence: borrowing Occurrence, _ machine: AnyMachine, _ name: UnsafeRawBufferPointer, _ life: Life, serial: UInt64)

    /// A session has begun, or its timers stand differently: it is recorded as it is now.
    func keep(_ machine: AnyMachine, _ name: UnsafeRawBufferPointer, _ life: Life)

    /// The session in that slot is gone.
    func drop(_ slot: UInt32)
}

/// Is told what happens to sessions, as it happens.
package protocol SessionObserver: AnyObject {
    func sessionDid(_ occurrence: borrowing Occurrence, _ session: Session)
}

/// Keeps sessions over a restart, as commands see it.
package protocol SessionPersistence: AnyObject {
    /// Where they are kept.
    var directory: String { get }
    /// How the last backup stands.
    var backup: BackupReport { get }
    /// Begins a copy of all that has been acknowledged so far. False if one is under way.
    func beginBackup(to path: String) -> Bool
    /// The fields of INFO's section `Persistence`.
    func health(isLoading: Bool) -> [(String, String)]
    /// What had happened to a quarantined session, the newest last.
    func history(of session: UnrestoredSession) -> [PastEvent]
    /// Restores a quarantined session after all, as a start would have done it.
    func retry(_ session: UnrestoredSession) throws -> AnyMachine
    /// A session that was set aside is dropped.
    func giveUp(_ session: UnrestoredSession)
}

/// What has become of the last backup.
package struct BackupReport: Sendable {
    package enum Status: String, Sendable {
        case none, running, done, failed
    }

    package var status = Status.none
    package var path = ""
    package var error: String?
    /// From 0 to 1.
    package var progress = 0.0
    package var bytes = 0
    package var took = Duration.zero

    package init(status: Status = .none, path: String = "") {
        self.status = status
        self.path = path
    }
}
