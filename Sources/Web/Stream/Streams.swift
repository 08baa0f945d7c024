// The page's streams: their readers, and the events that are sent each second.

import Commands
import EventLoop
import GameFlow
import HTTP
import Memory
import Monitoring
import RESP
import Sessions

protocol StreamsDelegate: AnyObject {
    func send(_ text: ArraySlice<UInt8>, to stream: HTTPStream)
}

/// Streams send the current state, not every change: a slow reader gets the newest view, and fewer of them. Without readers nothing is done, and
/// sending takes a small part of the daemon's time at most.
final class Streams: FeedFollower {
    let host: Host
    let loop: Loop
    private var readers: [ObjectIdentifier: StreamReader] = [:] {
        didSet { hasReaders = !readers.isEmpty }
    }
    private var hasReaders = false
    /// For all but rows.
    private let queue: FeedQueue
    private let rows: RowQueue
    /// Whether the feed keeps changes for readers of the table.
    private var isFollowing = false
    /// Readers with full output that have more to send.
    private var slowReaders: [ObjectIdentifier: StreamReader] = [:]
    let clock = SystemClock()
    private var alarm: Delay?
    private var seconds: Delay?
    private var linkAlarm: Delay?
    /// Runs from when the last reader of the table has left until its changes are no longer kept.
    private var absence: Delay?
    /// Virtual time and flows when they were looked at last.
    private var lastNow = Instant.zero
    private var lastFlows: [Int] = []
    /// It lives longer.
    unowned var delegate: (any StreamsDelegate)?
    let gauge: StatusGauge
    private(set) var statistics = StatusStatistics()
    /// The flows as they were last written.
    private var writtenFlows: (signature: [Int], text: String)?
    /// The lines of a history that were written last in this turn.
    private var lastLines: (key: LinesKey, text: String)?
    /// The status in this round, as those read it that see all sessions.
    private var statusText: String?
    /// The timers of all sessions that fire next, for readers of some. Kept for a second, since the search scans all timers.
    private var firings: [NextFiring]?
    private var secondsSinceBeat = 0

    static let shownFirings = 8
    /// The timers that are searched for readers of some sessions.
    private static let maxFirings = 1_000
    private static let maxReaders = 4_096
    private var shares = ShareCount(.streams)
    private static let beatSeconds = 15
    private static let timeout = Duration.seconds(30)
    /// A client that returns within this time gets what it has missed, even if no other has read meanwhile.
    private static let absenceMilliseconds = 60_000

    init(of host: Host, on loop: Loop) throws(LoopFailure) {
        (self.host, self.loop, gauge) = (host, loop, StatusGauge(of: host))
        queue = FeedQueue(of: host.feed.texts, at: RoundThrottle(minInterval: .milliseconds(5), round: .milliseconds(2)))
        rows = RowQueue(of: host)
        // The queues are served at the end of the turn.
        alarm = try Delay(on: loop) {}
        seconds = try Delay(on: loop) { [unowned self] in secondIsOver() }
        linkAlarm = try Delay(on: loop) { [unowned self] in checkNodeStreams() }
        absence = try Delay(on: loop) { [unowned self] in stopFollowing() }
    }

    var readerCount: Int { readers.count }

    /// The bytes that may wait for one reader: the fewer, the more readers there are.
    var room: Int { max(64 << 10, min(512 << 10, (64 << 20) / max(readers.count, 1))) }

    // MARK: Readers

    func checkRoom(_ consumer: Consumer) throws(CommandError) {
        guard readers.count < Self.maxReaders else {
            throw CommandError(
                .limit, "limit of \(readers.count) streams reached; close some, or try again later")
        }
        try shares.check(consumer, of: Self.maxReaders, host.limits)
    }

    func add(_ subscriber: StreamReader.Subscriber, _ topics: [Topic], since: String?) -> StreamReader {
        let position = since.map { StreamPosition($0, of: subscriber.scope, in: host.feed) } ?? StreamPosition()
        let reader = StreamReader(subscriber, topics, after: position, of: self, in: queue)
        shares.add(subscriber.consumer)
        if readers.isEmpty {
            (statistics, firings) = (gauge.read(), nil)
            seconds?.start(milliseconds: 1_000)
        }
        readers[ObjectIdentifier(reader)] = reader
        for topic in topics { add(reader, to: topic, position) }
        reader.feedReader.enqueue()
        return reader
    }

    private func add(_ reader: StreamReader, to topic: Topic, _ position: StreamPosition) {
        switch topic {
        case .sessions:
            startFollowing()
            reader.rows = rows.add(reader, from: position.rows)
        case .status: reader.needsStatus = true
        case .flows: reader.needsFlows = true
        case .session(let name): host.feed.add(reader.feedReader, .views, of: name)
        case .history(let name): host.feed.add(reader.feedReader, .history, of: name)
        }
    }

    func remove(_ reader: StreamReader) {
        guard readers.removeValue(forKey: ObjectIdentifier(reader)) != nil else { return }
        shares.remove(reader.consumer)
        reader.links?.end()
        reader.links = nil
        for topic in reader.topics {
            switch topic {
            case .session(let name): host.feed.remove(reader.feedReader, .views, of: name)
            case .history(let name): host.feed.remove(reader.feedReader, .history, of: name)
            case .sessions:
                rows.remove(reader)
                if rows.isEmpty { absence?.start(milliseconds: Self.absenceMilliseconds) }
            case .status, .flows: break
            }
        }
        reader.feedReader.end()
        slowReaders[ObjectIdentifier(reader)] = nil
        guard readers.isEmpty else { return }
        seconds?.stop()
        alarm?.stop()
    }

    func stop() {
        for reader in Array(readers.values) { end(reader) }
        if isFollowing { stopFollowing() }
        (seconds, alarm, linkAlarm, absence) = (nil, nil, nil, nil)
    }

    // MARK: Changes of the table

    private func startFollowing() {
        absence?.stop()
        guard !isFollowing else { return }
        isFollowing = true
        host.feed.add(self)
    }

    private func stopFollowing() {
        isFollowing = false
        host.feed.remove(self)
    }

    // MARK: Other nodes

    /// The reader gets other nodes' sessions, too.
    func link(_ reader: StreamReader, _ relay: Relay, for bearer: VisitorIdentity) {
        guard let cluster = host.cluster else { return }
        reader.links = ReaderNodeStreams(of: reader, relay, for: bearer, in: cluster, of: self)
        // It is greeted first.
        scheduleStreamCheck(milliseconds: 1)
    }

    private static let linkMilliseconds = 100

    /// Soon after something has happened that links may follow from.
    func scheduleStreamCheck(milliseconds: Int = linkMilliseconds) {
        if linkAlarm?.isRunning == false { linkAlarm?.start(milliseconds: milliseconds) }
    }

    private func checkNodeStreams() {
        for reader in readers.values {
            guard let links = reader.links else { continue }
            links.refresh()
            _ = reader.flush()
        }
    }

    /// Whether a session is this node's to tell of.
    func isOwn(_ name: ByteString) -> Bool { (try? host.checkOwner(of: name)) != nil }

    // MARK: Sessions

    /// Rows have it from the changes.
    func sessionIsGone(_: ByteString) {}

    /// A session has come from another node, or continues at one: a reader of it alone has to read it there.
    func session(_ name: ByteString, isHere: Bool, for reader: StreamReader) {
        if reader.links != nil { scheduleStreamCheck() }
        // A reader with links reads on at the next node through this one.
        if isHere { reader.enqueueAll(of: name) } else if reader.links == nil { end(reader) }
    }

    /// The reader has more to send, once its client has read.
    func wait(for reader: StreamReader) { slowReaders[ObjectIdentifier(reader)] = reader }

    // MARK: The end of a turn

    func endTurn() {
        // A node without a lease has nothing to tell of its sessions; of others and of itself it has.
        guard hasReaders, !host.isLoading || host.cluster != nil else { return }
        if hasAllChanged { resendAll() }
        if queue.isDue, !slowReaders.isEmpty { resumeSlowReaders() }
        (statusText, lastLines) = (nil, nil)
        var next = queue.serve(withSessions: !host.isLoading)
        if !slowReaders.isEmpty, let throttle = queue.throttle { next = next ?? throttle.next }
        if !host.isLoading, let round = rows.serve() { next = min(next ?? round, round) }
        if let next { alarm?.start(milliseconds: max(1, clock.now.duration(to: next).milliseconds)) }
    }

    private func resumeSlowReaders() {
        for (id, reader) in slowReaders where reader.hasRoom {
            slowReaders[id] = nil
            reader.feedReader.enqueue()
        }
    }

    /// Whether virtual time has passed, as then it has for every timer, or flows have changed, which no session tells.
    private var hasAllChanged: Bool {
        let (now, flows) = (host.virtualClock == nil ? .zero : host.timekeeper.now, host.sessions.flowSignature)
        defer { (lastNow, lastFlows) = (now, flows) }
        return now != lastNow || flows != lastFlows
    }

    private func resendAll() {
        host.feed.resumeAll()
        rows.restart()
        firings = nil
        for reader in readers.values {
            for case .session(let name) in reader.topics { reader.feedReader.enqueue(viewOf: name) }
        }
    }

    /// The same for all readers of a round that see all sessions.
    func statusText(_ write: () -> String) -> String {
        let text = statusText ?? write()
        statusText = text
        return text
    }

    /// What lines of a history depend on.
    struct LinesKey: Equatable {
        let session: ByteString
        let newest: StreamPosition.Entry
        /// The last one that the reader has; nil for none of this life.
        let known: StreamPosition.Entry?
        let isFirst: Bool
    }

    /// The same for all readers that have the same of a session's history.
    func linesText(_ key: LinesKey, _ write: () -> String) -> String {
        if let lastLines, lastLines.key == key { return lastLines.text }
        let text = write()
        lastLines = (key, text)
        return text
    }

    // MARK: Each second

    private func secondIsOver() {
        seconds?.start(milliseconds: 1_000)
        secondsSinceBeat = (secondsSinceBeat + 1) % Self.beatSeconds
        cutOffStuck()
        checkNodeStreams()
        statistics = gauge.read()
        firings = readers.values.contains { $0.scope != nil && $0.topics.contains(.status) } ? allFirings() : nil
        let former = writtenFlows?.text
        let haveFlowsChanged = readers.values.contains { $0.topics.contains(.flows) } && former != flowsText()
        for reader in readers.values {
            reader.needsBeat = secondsSinceBeat == 0 || reader.isNode
            reader.needsStatus = reader.topics.contains(.status)
            if haveFlowsChanged, reader.topics.contains(.flows) { reader.needsFlows = true }
            if reader.hasMore { reader.feedReader.enqueue() }
        }
    }

    private func allFirings() -> [NextFiring] {
        let found = host.sessions.nextFirings(Self.maxFirings, of: nil)
        loop.charge(pieces: found.work)
        return found.firings
    }

    /// The timers of these sessions that fire next, of those that were found in this second and have not fired.
    func nextFirings(of scope: SessionScope) -> [NextFiring] {
        let found = firings ?? allFirings()
        firings = found
        let now = host.timekeeper.now
        return Array(found.lazy.filter { $0.deadline > now && scope.admits($0.session) }.prefix(Self.shownFirings))
    }

    private func cutOffStuck() {
        let now = clock.now
        for reader in Array(readers.values) where reader.isStuck(at: now, after: Self.timeout) {
            host.log.debug("disconnected a stream of the page: its client reads nothing")
            end(reader)
        }
    }

    /// Logins have ended: their streams do.
    func endRevokedStreams() {
        for reader in Array(readers.values) where !reader.isLoggedIn { end(reader) }
    }

    private func end(_ reader: StreamReader) {
        reader.stream.end()
        remove(reader)
    }

    /// The event `flows`. It is written again only once flows have changed.
    func flowsText() -> String {
        let signature = host.sessions.flowSignature
        if let writtenFlows, writtenFlows.signature == signature { return writtenFlows.text }
        let text = JSON.object([.init("flows", .array(host.sessions.flows.map(\.webJSON)))]).description
        writtenFlows = (signature, text)
        return text
    }
}
