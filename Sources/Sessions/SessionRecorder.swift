// Protocols of the recorder and the observers of sessions: `Sessions` knows both only by these protocols.

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
    var lastLife: Life { get set }

    /// The sessions that expire: an image includes their remaining time. Nil if no sessions expire.
    var expiries: Expiries? { get set }

    /// Records an entry of a session's history.
    func record(_ encoded: EncodedEntry, of machine: AnyMachine, named name: StoredName, life: Life, number: EntryNumber)

    /// Records a session as it is now.
    func recordImage(of machine: AnyMachine, named name: StoredName, life: Life, seq: UInt32)

    /// Records the last entry of a session that was set aside.
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

    /// Called once for everything that happens; of a session that is dropped, while it is still there. `session.seq` is the entry's number.
    open func session(_ session: Session, didRecord entry: borrowing HistoryEntry) -> ObserverInterest { .stays }

    /// Called for a message that the session emits.
    open func session(_ session: Session, didEmit emission: Emission) {}

    /// Called when a session arrives from another node, or before it leaves to one.
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
    /// Begins a copy of everything acknowledged so far, and completes with nil once the file is created, or with the failure. Returns false, and
    /// does not complete, if a backup is already running.
    func beginBackup(to path: String, _ onBegun: @escaping (_ failure: String?) -> Void) -> Bool
    var statistics: JournalStatistics { get }
    /// Writes a probe row on the writer thread; completes with nil, or with the failure. A blocked disk delays completion.
    func probeDisk(_ onKnown: @escaping (_ failure: String?) -> Void)
    /// The fields of INFO's section `Persistence`.
    func health(isLoading: Bool) -> [(String, String)]
    /// The history of a session that a start has set aside, or that was dropped after that, the newest entry last; nil of any other.
    func history(ofHeld name: ByteString) -> [HistoryEntryText]?
    /// Restores a session that a start has set aside after all, as a start would have done it.
    func retry(_ session: SetAsideSession) throws -> RestoredMachine
    /// Whether this kind would restore a session that a start has set aside; throws if not. Changes nothing. Returns the parts that
    /// the session would lose.
    func tryToRestore(_ session: SetAsideSession, as kind: FlowKind) throws -> [LostPart]
    /// Drops a session that a start has set aside, and records that in its history. Returns the ids of its children, and the last entry; nil
    /// if it has no history.
    func drop(
        _ session: SetAsideSession, by actor: ActorNumber, from source: EventSource
    ) -> (children: [String], last: DropEntry?)
    /// Called after other flows are hosted: the names of their events are saved again for the next start.
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

/// How the journal writes, in numbers since the start.
package struct JournalStatistics {
    package var durability = ""
    /// Why writing fails at the moment; nil if it does not.
    package var failure: String?
    package var failures = 0
    /// Bytes not written yet.
    package var backlogBytes = 0
    /// Turns' changes that were written, and their bytes.
    package var batches = 0
    package var bytes = 0
    /// Time to write all pending bytes, possibly several batches; with `always`, until they were on disk.
    package var commits = DurationHistogram()
    /// With `everysec`: how long it took until the disk had it.
    package var syncs = DurationHistogram()
    /// Since the disk has last taken something; nil if it has not yet.
    package var sinceWrite: Duration?

    package init() {}
}

// MARK: - The observers of sessions

/// The observers, and the sessions that are muted for all of them. There are nearly always no observers.
struct SessionObservers: ~Copyable {
    /// In the order in which they came.
    private(set) var all: [SessionObserver] = []
    /// The same, for the path of every event.
    private(set) var uncounted: [Borrowed<SessionObserver>] = []
    private var muted = SlotSet()

    var isEmpty: Bool { uncounted.isEmpty }

    mutating func add(_ observer: SessionObserver) {
        guard !all.contains(where: { $0 === observer }) else { return }
        set(all + [observer])
        resumeAll()
    }

    mutating func remove(_ observer: SessionObserver) { set(all.filter { $0 !== observer }) }

    private mutating func set(_ observers: [SessionObserver]) {
        all = observers
        uncounted = observers.map { Borrowed($0) }
    }

    /// Whether an observer needs what happens to the session in this slot.
    func observe(_ slot: UInt32) -> Bool { !muted.contains(slot) }

    /// No observer needs what happens to the session in this slot, until it is resumed.
    mutating func mute(_ slot: UInt32) { muted.insert(slot) }

    mutating func resume(_ slot: UInt32) { muted.remove(slot) }

    mutating func resumeAll() { muted.removeAll() }

    /// Frees its memory: see `SessionTable.freeMemory`.
    mutating func freeMemory() { muted.freeMemory() }
}

// MARK: - Sessions whose changes the observers need

/// Whether an observer needs the next change of a session.
public enum ObserverInterest {
    case stays
    /// Not before `Sessions.resumeObserving`, but for the session's end.
    case suspended
}

/// A set of slots, a bit each. Not of arrays: counting their references waits until the processor has written all that went before.
package struct SlotSet: ~Copyable {
    private var words = Chunks<UInt64>(blank: 0)
    /// Words below this have room.
    private var end: UInt32 = 0
    /// Words from this one on are empty.
    private var used: UInt32 = 0

    package init() {}

    package func contains(_ slot: UInt32) -> Bool { slot >> 6 < end && words[slot >> 6] & Self.bit(slot) != 0 }

    package mutating func insert(_ slot: UInt32) {
        guard slot != FlightMark.noSlot else { return }
        let word = slot >> 6
        if word >= end { grow(to: word) }
        used = max(used, word + 1)
        words[word] |= Self.bit(slot)
    }

    package mutating func remove(_ slot: UInt32) {
        if slot >> 6 < end { words[slot >> 6] &= ~Self.bit(slot) }
    }

    /// Keeps the room that it has.
    package mutating func removeAll() {
        for word in 0..<used { words[word] = 0 }
        used = 0
    }

    /// Gives their memory back: see `SessionTable.freeMemory`.
    package mutating func freeMemory() {
        words.removeAll()
        (end, used) = (0, 0)
    }

    private mutating func grow(to word: UInt32) {
        let size = Chunks<UInt64>.size
        while end <= word {
            words.makeRoom(for: end)
            end += size
        }
    }

    private static func bit(_ slot: UInt32) -> UInt64 { 1 << UInt64(slot & 63) }
}

// MARK: - Recording images without a history entry

extension Sessions {
    /// Records the sessions in `count` slots, starting at `slot`. Called after virtual time was advanced: it does not pass while the daemon is
    /// down, so the records need the present remaining times, and the present time in the state. Returns the next slot, or 0 at the end.
    package func recordImages(from slot: Int, atMost count: Int) -> Int {
        guard recorder != nil else { return 0 }
        let (sessions, next) = scan(from: slot, atMost: count)
        for session in sessions { recordImage(of: session.machine) }
        return next
    }

    /// Whether a session can have a timer with the restart policy `freeze`.
    package var canHaveFreezeTimers: Bool { flowTable.all.contains { $0.hasFreezeTimers } }

    /// Records the session in this slot if it has a running timer with the restart policy `freeze`. Called before a downtime: after
    /// it, such a timer has the remaining time of the session's last record.
    package func recordRunningFreezeTimer(inSlot slot: UInt32) {
        guard let session = find(inSlot: slot), session.withMachine({ $0.hasRunningFreezeTimer }) else { return }
        recordImage(of: session.machine)
    }
}
