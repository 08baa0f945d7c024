// What happens to sessions, for the log, for subscribers of views, and for the page's streams.

import GameFlow
import Memory
import Sessions

/// Reads all sessions, by the feed's changes.
package protocol FeedFollower: AnyObject {
    /// Its name may be forgotten before the follower comes to this change.
    func sessionIsGone(_ name: ByteString)
}

/// The readers of each session, and the changes for those that read all sessions. A session is pending once for each reader, however
/// often it has changed, and its newest state is sent at the end of a turn. The log gets each entry at once.
package final class Feed: SessionObserver {
    /// The views of this turn.
    package let texts: TurnViews
    private let sessions: Sessions
    // Exclusivity is unchecked where every event passes: only this class uses these, and no access outlasts a call.

    private var viewers = Audience<FeedReader>()
    private var historians = Audience<FeedReader>()
    /// Slots of sessions without readers of their own, or pending already: finding the name would cost as much as the event.
    @exclusivity(unchecked) private var quiet = SlotSet()
    private var followers: [any FeedFollower] = [] { didSet { hasFollowers = !followers.isEmpty } }
    private var hasFollowers = false
    /// Gets a line for each entry; nil unless the log's level is debug.
    var log: SessionLog? { didSet { updateObserver() } }
    /// Whether entries are written at once, so that each is needed.
    private var writesAtOnce = false
    private var isObserving = false
    package private(set) var changes = Changes()
    /// Distinguishes this process from others, which number changes differently.
    package let boot = String(UInt64.random(in: 1 << 60 ... .max), radix: 16)

    init(of sessions: Sessions, _ texts: TurnViews) { (self.sessions, self.texts) = (sessions, texts) }

    deinit { quiet.freeMemory() }

    // MARK: Positions

    /// The position of a reader that has been sent all changes before this number; without a number, of one that is to be sent everything.
    package func position(_ number: UInt64?) -> String { number.map { "\(boot)-\($0)" } ?? boot }

    /// The number in a position of this process.
    package func number(in position: String) -> UInt64? {
        let parts = position.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0] == boot else { return nil }
        return UInt64(parts[1])
    }

    // MARK: Readers

    package func add(_ reader: FeedReader, viewsOf name: ByteString) {
        viewers.add(reader, to: name)
        reader.enqueue(viewOf: name)
        updateObserver(of: name)
    }

    package func remove(_ reader: FeedReader, viewsOf name: ByteString) {
        viewers.remove(reader, from: name)
        updateObserver()
    }

    package func add(_ reader: FeedReader, historyOf name: ByteString) {
        historians.add(reader, to: name)
        reader.enqueue(historyOf: name)
        updateObserver(of: name)
    }

    package func remove(_ reader: FeedReader, historyOf name: ByteString) {
        historians.remove(reader, from: name)
        updateObserver()
    }

    /// From now on, `changes` has all that change.
    package func add(_ follower: any FeedFollower) {
        followers.append(follower)
        updateObserver()
        resumeAll()
    }

    package func remove(_ follower: any FeedFollower) {
        followers.removeAll { $0 === follower }
        if followers.isEmpty { changes.forget() }
        updateObserver()
    }

    /// Observes sessions only while there is a reader.
    private func updateObserver(of name: ByteString? = nil) {
        let wroteAtOnce = writesAtOnce
        writesAtOnce = log != nil
        let isNeeded = writesAtOnce || hasFollowers || !viewers.isEmpty || !historians.isEmpty
        if isNeeded, !isObserving { beginObserving() }
        if !isNeeded, isObserving { sessions.remove(self) }
        isObserving = isNeeded
        if writesAtOnce, !wroteAtOnce { sessions.resumeObservingAll() }
        if let name, let session = sessions.find(name) { resume(session) }
    }

    private func beginObserving() {
        quiet.removeAll()
        sessions.add(self)
    }

    /// A reader has been sent the current state, and is to get the next change.
    package func resume(_ session: Session) {
        quiet.remove(session.slot)
        sessions.resumeObserving(session.slot)
    }

    /// The same of all sessions for those that follow them.
    package func resumeFollowing() { sessions.resumeObservingAll() }

    /// Sessions may have changed without an entry.
    package func resumeAll() {
        quiet.removeAll()
        sessions.resumeObservingAll()
    }

    // MARK: Changes

    package override func session(_ session: Session, didRecord entry: borrowing HistoryEntry) -> ObserverInterest {
        guard writesAtOnce else { return enqueue(entry, of: session) }
        write(entry, of: session)
        _ = enqueue(entry, of: session)
        return .stays
    }

    private func write(_ entry: borrowing HistoryEntry, of session: Session) { log?.write(entry, of: session) }

    /// Makes the session pending for its readers. Returns whether the next change is needed, too.
    private func enqueue(_ entry: borrowing HistoryEntry, of session: Session) -> ObserverInterest {
        let (slot, isLast) = (session.slot, entry.kind == .dropped)
        // A refused event is a touch, which moves the end of a session that expires.
        let isChange = !entry.isRefused || session.expiry != nil
        if hasFollowers, isChange { if isLast { recordEnded(session.nameBytes) } else { changes.add(slot: slot) } }
        guard !quiet.contains(slot) || isLast else { return isChange || !hasFollowers ? .suspended : .stays }
        let name = session.nameBytes
        for reader in historians[name] {
            reader.enqueue(historyOf: name)
            // Its entries cannot be read once it is gone.
            if isLast { reader.sendHistory(of: name) }
        }
        let hasViewers = viewers.has(name)
        if isChange, hasViewers { for reader in viewers[name] { reader.enqueue(viewOf: name) } }
        // The slot may be another session's next.
        if isLast { quiet.remove(slot) } else if isChange || !hasViewers { quiet.insert(slot) }
        return isChange || !hasFollowers && !hasViewers ? .suspended : .stays
    }

    /// The session has changed without an entry, is set aside or gone.
    func sessionDidChange(_ name: ByteString) {
        if hasFollowers { if let session = sessions.find(name) { changes.add(slot: session.slot) } else { recordEnded(name) } }
        for reader in viewers[name] { reader.enqueue(viewOf: name) }
    }

    package override func session(_ session: Session, didChangeResidence: Bool) {
        let name = session.nameBytes
        quiet.remove(session.slot)
        if hasFollowers { if didChangeResidence { changes.add(slot: session.slot) } else { recordEnded(name) } }
        for reader in Array(viewers[name]) + Array(historians[name]) {
            reader.encoder.session(name, isHere: didChangeResidence)
        }
    }

    private func recordEnded(_ name: ByteString) {
        changes.add(gone: name)
        for follower in followers { follower.sessionIsGone(name) }
    }
}

// MARK: - Readers by the name of the channel or session that they follow

package struct Audience<Reader: AnyObject> {
    private var readers: [ByteString: [ObjectIdentifier: Reader]] = [:]

    package init() {}

    package var isEmpty: Bool { readers.isEmpty }
    package var names: Dictionary<ByteString, [ObjectIdentifier: Reader]>.Keys { readers.keys }

    /// Whether it has a reader.
    package func has(_ name: ByteString) -> Bool { readers[name] != nil }

    package subscript(name: ByteString) -> Dictionary<ObjectIdentifier, Reader>.Values { (readers[name] ?? [:]).values }

    package mutating func add(_ reader: Reader, to name: ByteString) {
        readers[name, default: [:]][ObjectIdentifier(reader)] = reader
    }

    package mutating func remove(_ reader: Reader, from name: ByteString) {
        readers[name]?[ObjectIdentifier(reader)] = nil
        if readers[name]?.isEmpty == true { readers[name] = nil }
    }
}

// MARK: - The views that are sent at the end of a turn

package final class TurnViews {
    private let sessions: Sessions
    private var texts: [ByteString: String] = [:] {
        didSet { hasTexts = !texts.isEmpty }
    }
    private var hasTexts = false

    /// The flight record's mark while a view is written.
    private let mark: UInt16

    init(of sessions: Sessions, mark: UInt16) { (self.sessions, self.mark) = (sessions, mark) }

    /// The session's view as it is now; null if there is no such session.
    package func text(of name: ByteString) -> String {
        if let known = texts[name] { return known }
        let text = sessions.find(name).map(write) ?? "null"
        texts[name] = text
        return text
    }

    /// Called at the end of each turn: sessions may have changed since the last one.
    func forget() { if hasTexts { texts = [:] } }

    /// A flow's own code writes the view and may trap. The flight record then names the session.
    private func write(_ session: Session) -> String {
        if let flight = sessions.flightRecorder {
            _ = flight.enter(session.withMachine { FlightMark(.command, mark, of: $0) })
        }
        defer { sessions.flightRecorder?.leave(0) }
        return viewText(of: session)
    }
}
