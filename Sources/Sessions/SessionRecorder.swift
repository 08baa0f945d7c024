// What records sessions for a restart, and what observes them: `Sessions` knows both by these protocols alone.

import GameFlow
import Memory

/// The numbers under which an entry is recorded.
package struct EntryNumber: BitwiseCopyable {
    /// Counts over all sessions and runs. An entry that repeats another has the other's.
    package let serial: UInt64
    /// Counts within the session's life.
    package let seq: UInt32
    /// How often the entry has happened by now.
    package let times: UInt32

    package init(serial: UInt64, seq: UInt32, times: UInt32 = 1) {
        (self.serial, self.seq, self.times) = (serial, seq, times)
    }
}

/// Records what happens to sessions, for a restart.
package protocol SessionRecorder: AnyObject {
    /// The last life given out.
    var lastLife: Life { get set }

    /// The sessions that expire: an image has what is left of their time. Nil if none do.
    var expiries: Expiries? { get set }

    /// Records an entry of a session's history.
    func record(_ encoded: EncodedEntry, of machine: AnyMachine, named name: StoredName, life: Life, number: EntryNumber)

    /// Records a session as it is now.
    func recordImage(of machine: AnyMachine, named name: StoredName, life: Life, seq: UInt32)

    /// Records the last line of a session that was set aside.
    func recordDrop(_ last: DropEntry)

    /// Records that the session in this slot is gone.
    func drop(_ slot: UInt32, named name: StoredName)

    /// This number, which another kind may have had, is that of a new kind.
    func forgetNames(ofKind number: Int)
}

/// Observes sessions as things happen to them. A class, since every event passes through it, and no protocol's method can be called
/// without counting a reference.
open class SessionObserver {
    public init() {}

    /// Called once for everything that happens; of a session that is dropped, while it is still there. `session.seq` is the line's number.
    open func session(_ session: Session, didRecord entry: borrowing HistoryEntry) -> ObserverInterest { .stays }

    /// Called for what a session tells its subscribers beside that.
    open func session(_ session: Session, didEmit emission: Emission) {}

    /// Called when a session has come from another node of a cluster, and before it goes on at one.
    open func session(_ session: Session, didChangeResidence: Bool) {}
}

/// Persistence, as commands see it.
package protocol SessionPersistence: AnyObject {
    /// The data directory.
    var directory: String { get }
    /// Why it makes no backups, and what does; nil if it makes them.
    var backupUnavailableReason: String? { get }
    /// The state of the last backup.
    var backup: BackupReport { get }
    /// Begins a copy of everything acknowledged so far. False if a backup is already running.
    func beginBackup(to path: String) -> Bool
    /// The journal's figures.
    var figures: JournalStatistics { get }
    /// Writes something small to the store now, on the journal's thread, and says in a later turn why that failed; nil if it did not.
    /// No answer comes while the disk gives none.
    func probeDisk(_ whenKnown: @escaping (_ failure: String?) -> Void)
    /// The fields of INFO's section `Persistence`.
    func health(isLoading: Bool) -> [(String, String)]
    /// The history of a session that a start has set aside, or that was dropped after that, the newest line last; nil of any other.
    func history(ofHeld name: ByteString) -> [HistoryEntryText]?
    /// Restores a session that a start has set aside after all, as a start would have done it.
    func retry(_ session: SetAsideSession) throws -> AnyMachine
    /// Whether this kind would restore a session that a start has set aside; throws if not. Changes nothing.
    func tryToRestore(_ session: SetAsideSession, as kind: FlowKind) throws
    /// Drops a session that a start has set aside, and notes that in its history. Returns what it calls its children.
    func drop(_ session: SetAsideSession, by actor: ActorNumber, from source: EventSource) -> [String]
    /// Other flows are hosted now: what names their events for the next start has to be written anew.
    func hostedFlowsDidChange()
}

/// The state or the result of the last backup.
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
