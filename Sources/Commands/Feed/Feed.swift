// Changes of sessions, for the log, for subscribers, and for the page's streams.

import GameFlow
import Memory
import RESP
import Sessions

/// Reads all sessions, by the feed's changes.
package protocol FeedFollower: AnyObject {
    /// Its name may be forgotten before the follower comes to this change.
    func sessionIsGone(_ name: ByteString)
}

/// The readers of each session, and the changes for those that read all sessions. Messages are sent at once, and so is the log's line: each
/// is about one entry. Views and histories are pending, once for each reader, however often the session changes; its newest state is sent at
/// the end of a turn.
package final class Feed: SessionObserver {
    /// The views of this turn.
    package let texts: TurnViews
    private unowned let sessions: Sessions
    private var readers = Audience()
    /// Readers of all sessions whose channels match: for messages, or for views.
    let patterns = PatternIndex()
    /// How many read messages, by name or by pattern, and how many views by pattern.
    private var (messageReaders, patternViewers) = (0, 0)
    /// Slots of sessions without readers of their own, or pending already: finding the name would cost as much as the event.
    /// Unchecked, since every event passes: only this class uses it, and no access outlasts a call.
    @exclusivity(unchecked) private var quiet = SlotSet()
    private var followers: [any FeedFollower] = [] { didSet { hasFollowers = !followers.isEmpty } }
    private var hasFollowers = false
    /// Gets a line for each entry; nil unless the log's level is debug.
    var log: SessionLog? { didSet { updateObserver() } }
    /// Whether each entry is written at once: a message, or a line of the log.
    private var writesAtOnce = false
    package private(set) var changes = Changes()
    /// Distinguishes this process from others, which number changes differently.
    package let boot = String(UInt64.random(in: 1 << 60 ... .max), radix: 16)

    init(of sessions: Sessions, _ texts: TurnViews) { (self.sessions, self.texts) = (sessions, texts) }

    deinit { quiet.freeMemory() }

    // MARK: Positions

    /// The position of a reader of these sessions (all if nil) that has been sent all changes before this number; without a
    /// number, of one that is to be sent everything.
    package func position(_ number: UInt64?, of scope: SessionScope?) -> String {
        guard let number else { return boot }
        return "\(boot)-\(number)" + (scope.map { "-\($0.fingerprint)" } ?? "")
    }

    /// The number in a position of this process. Nil if its reader had other sessions, and so was not sent all of these.
    package func number(in position: String, of scope: SessionScope?) -> UInt64? {
        let parts = position.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count > 1, let number = UInt64(parts[1]), position == self.position(number, of: scope) else { return nil }
        return number
    }

    // MARK: Readers

    package func add(_ reader: FeedReader, _ topic: FeedTopic, of name: ByteString) {
        let isNew = readers.add(reader, to: topic, name)
        switch topic {
        case .views: reader.enqueue(viewOf: name)
        case .history: reader.enqueue(historyOf: name)
        case .messages: if isNew { messageReaders += 1 }
        }
        updateObserver(of: name)
    }

    package func remove(_ reader: FeedReader, _ topic: FeedTopic, of name: ByteString) {
        let isRemoved = readers.remove(reader, from: topic, name)
        if isRemoved, topic == .messages { messageReaders -= 1 }
        updateObserver()
    }

    func add(_ reader: FeedReader, pattern: ByteString, ofViews: Bool, _ limits: Limits) throws(CommandError) {
        try patterns.add(reader, pattern, limits)
        countPattern(ofViews: ofViews, 1)
    }

    func remove(_ reader: FeedReader, pattern: ByteString, ofViews: Bool) {
        patterns.remove(reader, pattern)
        countPattern(ofViews: ofViews, -1)
    }

    private func countPattern(ofViews: Bool, _ change: Int) {
        if ofViews { patternViewers += change } else { messageReaders += change }
        updateObserver()
    }

    var hasPatternsOfViews: Bool { patternViewers > 0 }

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
        writesAtOnce = messageReaders > 0 || log != nil
        if !writesAtOnce, readers.isEmpty, followers.isEmpty {
            sessions.remove(self)
            quiet.removeAll()
        } else {
            sessions.add(self)
            if writesAtOnce, !wroteAtOnce { sessions.resumeObservingAll() }
            if let name, let session = sessions.find(name) { resume(session) }
        }
    }

    /// A reader has been sent the current state, and is to get the next change.
    package func resume(_ session: Session) {
        quiet.remove(session.slot)
        sessions.resumeObserving(session.slot)
    }

    /// Followers of all sessions get their next changes.
    package func resumeFollowing() { sessions.resumeObservingAll() }

    /// Sessions may have changed without an entry.
    package func resumeAll() {
        quiet.removeAll()
        sessions.resumeObservingAll()
    }

    // MARK: Changes

    package override func session(_ session: Session, didRecord entry: borrowing HistoryEntry) -> ObserverInterest {
        let interest = enqueue(entry, of: session)
        guard writesAtOnce else { return interest }
        write(entry, of: session)
        return .stays
    }

    private func write(_ entry: borrowing HistoryEntry, of session: Session) {
        log?.write(entry, of: session)
        send(about: session) {
            SessionMessage.text(session.text(of: entry, at: sessions.timekeeper.wallNanoseconds), of: session)
        }
    }

    /// Sends what a session tells its subscribers. It is no line of the history, and has the number of the latest one.
    package override func session(_ session: Session, didEmit emission: Emission) {
        send(about: session) { SessionMessage.text(emission, of: session) }
    }

    /// The text is written once for all readers. To one client, the messages of its channels come before those of its patterns.
    private func send(about session: Session, _ text: () -> String) {
        if messageReaders > 0 { send(about: session.nameBytes, text) }
    }

    private func send(about name: ByteString, _ text: () -> String) {
        let channel = SessionChannel.Subject.history.prefix + name
        let subscribers = readers[.messages, name]
        let matching = patterns.isEmpty ? [] : patterns.matching(channel, of: name)
        guard subscribers != nil || !matching.isEmpty else { return }
        let text = text()
        subscribers?.forEach { $0.send(text, about: name, under: nil) }
        for pattern in matching {
            let head = [ChannelKind.pattern.messageWord, pattern.name, channel]
            pattern.audience.values.forEach { $0.send(text, about: name, under: head) }
        }
    }

    /// Makes the session pending for its readers. Returns whether the next change is needed, too.
    private func enqueue(_ entry: borrowing HistoryEntry, of session: Session) -> ObserverInterest {
        let (slot, isLast) = (session.slot, entry.kind == .dropped)
        // The slot may have been that of a session that was set aside.
        if entry.kind == .begun { quiet.remove(slot) }
        // A refused event is a touch, which moves the end of a session that expires.
        let isChange = !entry.isRefused || session.expiry != nil
        if hasFollowers, isChange { if isLast { recordEnded(session.nameBytes) } else { changes.add(slot: slot) } }
        guard !quiet.contains(slot) || isLast else { return isChange || !hasFollowers ? .suspended : .stays }
        let name = session.nameBytes
        readers[.history, name]?.forEach { reader in
            reader.enqueue(historyOf: name)
            // Its entries cannot be read once it is gone.
            if isLast { reader.sendHistory(of: name) }
        }
        let viewers = readers[.views, name]
        if isChange { viewers?.forEach { $0.enqueue(viewOf: name) } }
        // The slot may be another session's next.
        if isLast { quiet.remove(slot) } else if isChange || viewers == nil { quiet.insert(slot) }
        return isChange || !hasFollowers && viewers == nil ? .suspended : .stays
    }

    /// The session has changed without an entry, is set aside or gone.
    func sessionDidChange(_ name: ByteString) {
        if hasFollowers { if let session = sessions.find(name) { changes.add(slot: session.slot) } else { recordEnded(name) } }
        readers[.views, name]?.forEach { $0.enqueue(viewOf: name) }
    }

    /// A session that was set aside has been dropped. `last` is the entry that records it; nil if it has no history.
    func setAsideSessionDidDrop(_ name: ByteString, _ last: DropEntry?) {
        sessionDidChange(name)
        guard let last else { return }
        log?.write(last, by: sessions.actors.name(last.actor))
        guard messageReaders > 0 else { return }
        let entry = last.text(in: sessions, at: sessions.timekeeper.wallNanoseconds)
        send(about: name) { SessionMessage.text(entry, of: name.text, flow: last.flow, last.life) }
    }

    package override func session(_ session: Session, didChangeResidence: Bool) {
        let name = session.nameBytes
        quiet.remove(session.slot)
        if hasFollowers { if didChangeResidence { changes.add(slot: session.slot) } else { recordEnded(name) } }
        for topic in [FeedTopic.views, .history] {
            readers[topic, name]?.forEach { $0.encoder.session(name, isHere: didChangeResidence) }
        }
    }

    private func recordEnded(_ name: ByteString) {
        changes.add(gone: name)
        for follower in followers { follower.sessionIsGone(name) }
    }
}

// MARK: - Readers by topic and session

package enum FeedTopic {
    /// The newest view.
    case views
    /// Entries, as they are kept.
    case history
    /// A message for each entry and each emission, at once.
    case messages
}

private struct Audience {
    typealias Readers = Dictionary<ObjectIdentifier, FeedReader>.Values
    private struct Key: Hashable {
        let topic: FeedTopic
        let name: ByteString
    }

    private var readers: [Key: [ObjectIdentifier: FeedReader]] = [:]

    var isEmpty: Bool { readers.isEmpty }

    /// Nil without a reader.
    subscript(topic: FeedTopic, name: ByteString) -> Readers? { readers[Key(topic: topic, name: name)]?.values }

    /// False if it was there.
    mutating func add(_ reader: FeedReader, to topic: FeedTopic, _ name: ByteString) -> Bool {
        readers[Key(topic: topic, name: name), default: [:]].updateValue(reader, forKey: ObjectIdentifier(reader)) == nil
    }

    /// False if it was not there.
    mutating func remove(_ reader: FeedReader, from topic: FeedTopic, _ name: ByteString) -> Bool {
        let key = Key(topic: topic, name: name)
        defer { if readers[key]?.isEmpty == true { readers[key] = nil } }
        return readers[key]?.removeValue(forKey: ObjectIdentifier(reader)) != nil
    }
}

// MARK: - The views that are sent at the end of a turn

package final class TurnViews {
    private unowned let sessions: Sessions
    private var texts: [ByteString: String] = [:] { didSet { hasTexts = !texts.isEmpty } }
    private var hasTexts = false
    /// Whether this round of readers may be sent views that are not known yet.
    private(set) var hasTime = true
    private var roundBegan = Instant.zero
    private let clock = SystemClock()
    /// The time of a round's views, counted where some of them evaluate long expressions.
    private static let maxRound = Duration.milliseconds(2)
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

    func beginRound(at now: Instant) { (hasTime, roundBegan) = (true, now) }

    /// Whether its view is known, or there is time to write it.
    func mayWrite(_ name: ByteString) -> Bool { hasTime || texts[name] != nil || sessions.find(name) == nil }

    /// Called at the end of each turn: sessions may have changed since the last one.
    func forget() { if hasTexts { texts = [:] } }

    /// A flow's own code writes the view and may trap. The flight record then names the session.
    private func write(_ session: Session) -> String {
        if let flight = sessions.flightRecorder {
            _ = flight.enter(session.withMachine { FlightMark(.command, mark, of: $0) })
        }
        let keeper = sessions.timekeeper
        let tookLong = keeper.mayHaveTakenLong
        keeper.mayHaveTakenLong = false
        defer {
            sessions.flightRecorder?.leave(0)
            if keeper.mayHaveTakenLong, roundBegan.duration(to: clock.now) >= Self.maxRound { hasTime = false }
            keeper.mayHaveTakenLong = keeper.mayHaveTakenLong || tookLong
        }
        return viewText(of: session)
    }
}
