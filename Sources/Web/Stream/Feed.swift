// The streams and their readers: who is told of what, and when.

import Commands
import EventLoop
import GameFlow
import HTTP
import Memory
import Monitoring
import RESP
import Sessions
import Timers

/// Sends the text of a feed.
protocol FeedDelegate: AnyObject {
    func send(_ text: ArraySlice<UInt8>, to stream: HTTPStream)
}

/// It tells what is true now, not everything that was: who reads slowly gets the newest view, and fewer of them. Nothing is told while
/// nobody reads, and never so often that it takes more than a small part of the daemon's time.
final class Feed: SessionObserver {
    let host: Host
    let loop: Loop
    private var readers: [ObjectIdentifier: FeedReader] = [:]
    // Exclusivity is unchecked where every event passes through: only this class uses these, and no access outlasts a call.

    private var viewers = Audience<FeedReader>()
    private var historians = Audience<FeedReader>()
    /// Slots whose session nobody watches: looking for its name would cost as much as the event.
    @exclusivity(unchecked) private var unwatched = SlotSet()
    /// Those that watch all sessions.
    private(set) var watchers: [ObjectIdentifier: FeedReader] = [:] {
        didSet { hasWatchers = !watchers.isEmpty }
    }
    /// The same, without counting a reference.
    @exclusivity(unchecked) private var hasWatchers = false
    /// Those that are owed something else than rows, longest first.
    private var owed: [FeedReader] = []
    @exclusivity(unchecked) var changes = Changes()
    let clock = SystemClock()
    private var alarm: Delay?
    private var seconds: Delay?
    private var linkAlarm: Delay?
    private var pace = Pace(shortest: .milliseconds(5))
    var rowPace = Pace(shortest: .milliseconds(100))
    /// Rounds in which rows were told.
    var rounds = 0
    /// Virtual time and flows when they were looked at last.
    private var lastNow = Instant.zero
    private var lastFlows: [Int] = []
    /// Sends what is written for a stream; it lives longer.
    unowned var delegate: (any FeedDelegate)?
    let gauge: StatusGauge
    /// What was measured last.
    private(set) var figures = StatusFigures()
    /// Distinguishes this process from others whose numbers mean something else.
    let boot = String(Secret().description.prefix(12))
    private var flowsTold = ""
    private var secondsSinceBeat = 0

    private static let maxReaders = 4_096
    private var shares = ShareCount(.streams)
    /// What one round may take.
    private static let longest = Duration.milliseconds(2)
    private static let beatSeconds = 15
    private static let patience = Duration.seconds(30)

    init(of host: Host, on loop: Loop) throws(LoopFailure) {
        (self.host, self.loop, gauge) = (host, loop, StatusGauge(of: host))
        super.init()
        // What is due then is told at the end of the turn.
        alarm = try Delay(on: loop) {}
        seconds = try Delay(on: loop) { [unowned self] in secondIsOver() }
        linkAlarm = try Delay(on: loop) { [unowned self] in lookAtLinks() }
    }

    deinit { unwatched.freeMemory() }

    var readerCount: Int { readers.count }

    /// The bytes that may wait for one reader: the fewer, the more readers there are.
    var room: Int { max(64 << 10, min(512 << 10, (64 << 20) / max(readers.count, 1))) }

    // MARK: Readers

    func checkRoom(_ consumer: Consumer) throws(CommandError) {
        guard readers.count < Self.maxReaders else {
            throw CommandError(
                .limit, "\(readers.count) streams are open, as many as are allowed; close some, or try again later")
        }
        try shares.check(consumer, of: Self.maxReaders, host.limits)
    }

    /// `scope` are the sessions that the reader may see; nil for all.
    func add(
        _ stream: HTTPStream, _ topics: [Topic], since: String?, of scope: SessionScope?, for consumer: Consumer,
        isNode: Bool, isLetIn: @escaping () -> Bool
    ) -> FeedReader {
        let reader = FeedReader(stream, topics, of: scope, for: consumer, isNode: isNode, at: clock.now, isLetIn: isLetIn)
        shares.add(consumer)
        if readers.isEmpty { begin() }
        readers[ObjectIdentifier(reader)] = reader
        for topic in topics { add(reader, to: topic, since) }
        owe(reader)
        return reader
    }

    private func add(_ reader: FeedReader, to topic: Topic, _ since: String?) {
        switch topic {
        case .sessions: watch(reader, since)
        case .status: reader.isOwedStatus = true
        case .flows: reader.isOwedFlows = true
        case .session(let name):
            viewers.add(reader, to: name)
            reader.owedViews.insert(name)
            isWatched(name)
        case .history(let name):
            historians.add(reader, to: name)
            reader.owedLines.insert(name)
            isWatched(name)
        }
    }

    private func isWatched(_ name: ByteString) {
        guard let session = host.sessions.find(name) else { return }
        unwatched.remove(session.slot)
        host.sessions.resumeObserving(session.slot)
    }

    private func watch(_ reader: FeedReader, _ since: String?) {
        watchers[ObjectIdentifier(reader)] = reader
        host.sessions.resumeObservingAll()
        reader.place = place(from: since.flatMap(position))
        let now = clock.now
        rowPace.hurry(from: now, to: now)
    }

    /// The number in an id of this process.
    private func position(_ id: String) -> UInt64? {
        let parts = id.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0] == boot else { return nil }
        return UInt64(parts[1])
    }

    /// Who comes back with it goes on from here; without a number, gets the whole.
    func id(of reader: FeedReader) -> String {
        guard reader.watchesSessions, let number = reader.place.number else { return boot }
        return "\(boot)-\(number)"
    }

    func remove(_ reader: FeedReader) {
        let me = ObjectIdentifier(reader)
        guard readers.removeValue(forKey: me) != nil else { return }
        shares.remove(reader.consumer)
        watchers[me] = nil
        reader.links?.end()
        reader.links = nil
        if reader.isOwed { owed.removeAll { $0 === reader } }
        for topic in reader.topics {
            switch topic {
            case .session(let name): viewers.remove(reader, from: name)
            case .history(let name): historians.remove(reader, from: name)
            case .sessions, .status, .flows: break
            }
        }
        if watchers.isEmpty { changes.forget() }
        if readers.isEmpty { rest() }
    }

    /// Somebody reads.
    private func begin() {
        host.sessions.add(self)
        figures = gauge.read()
        seconds?.start(milliseconds: 1_000)
    }

    /// Nobody reads: nothing is done any more.
    private func rest() {
        host.sessions.remove(self)
        unwatched.removeAll()
        seconds?.stop()
        alarm?.stop()
    }

    func stop() {
        for reader in Array(readers.values) { end(reader) }
        (seconds, alarm, linkAlarm) = (nil, nil, nil)
    }

    // MARK: Other nodes

    /// A reader is told of other nodes' sessions, too.
    func link(_ reader: FeedReader, _ relay: Relay, for bearer: Bearer) {
        guard let cluster = host.cluster else { return }
        reader.links = ReaderLinks(of: reader, relay, for: bearer, in: cluster, of: self)
        // It is greeted first.
        lookAtLinksSoon(milliseconds: 1)
    }

    private static let linkMilliseconds = 100

    /// Soon after something has happened that links may follow from.
    func lookAtLinksSoon(milliseconds: Int = linkMilliseconds) {
        if linkAlarm?.isRunning == false { linkAlarm?.start(milliseconds: milliseconds) }
    }

    private func lookAtLinks() {
        for reader in readers.values {
            guard let links = reader.links else { continue }
            links.look()
            flush(reader)
        }
    }

    /// Whether a session is this node's to tell of.
    func isOwn(_ name: ByteString) -> Bool {
        guard host.cluster != nil else { return true }
        do throws(CommandError) {
            try host.checkOwner(of: name)
            return true
        } catch {
            return false
        }
    }

    private func owe(_ reader: FeedReader) {
        guard !reader.isOwed else { return }
        reader.isOwed = true
        owed.append(reader)
    }

    // MARK: What happens

    /// What has been noted need not be told again until somebody has read it.
    override func sessionDid(_ entry: borrowing HistoryEntry, _ session: Session) -> Attention {
        let (slot, isLast) = (session.slot, entry.kind == .dropped)
        // A refused event is a touch, which moves the end of a session that expires.
        let isChange = !entry.isRefused || session.expiry != nil
        if hasWatchers, isChange {
            if isLast { changes.add(gone: session.nameBytes) } else { changes.add(slot: slot) }
        }
        guard !unwatched.contains(slot) || isLast else { return isChange || !hasWatchers ? .rests : .stays }
        let name = session.nameBytes
        for reader in historians[name] {
            reader.owedLines.insert(name)
            // Its lines are met no more once it is gone.
            if isLast { tellLines(name, to: reader) }
            owe(reader)
        }
        if isChange {
            for reader in viewers[name] {
                reader.owedViews.insert(name)
                owe(reader)
            }
        }
        // The slot may be another session's next.
        let hasViewers = viewers.has(name)
        if isLast { unwatched.remove(slot) } else if !historians.has(name), !hasViewers { unwatched.insert(slot) }
        return isChange || !hasWatchers && !hasViewers ? .rests : .stays
    }

    /// A session has come from another node, or goes on at one: those who watch it alone have to watch it there.
    override func session(_ session: Session, isHere: Bool) {
        let (slot, name) = (session.slot, session.nameBytes)
        unwatched.remove(slot)
        if hasWatchers { if isHere { changes.add(slot: slot) } else { changes.add(gone: name) } }
        let followers = Array(viewers[name]) + Array(historians[name])
        for reader in followers {
            // Whoever reads through this node goes on at the next one.
            if isHere {
                oweAll(of: name, to: reader)
            } else if reader.links == nil {
                end(reader)
            }
        }
        if followers.contains(where: { $0.links != nil }) { lookAtLinksSoon() }
    }

    private func oweAll(of name: ByteString, to reader: FeedReader) {
        for topic in reader.topics where topic.name == name {
            switch topic {
            case .session: reader.owedViews.insert(name)
            case .history: reader.owedLines.insert(name)
            case .sessions, .status, .flows: break
            }
        }
        owe(reader)
    }

    // MARK: The end of a turn

    func endTurn() {
        // A node without a lease has nothing to tell of its sessions; of others and of itself it has.
        guard !readers.isEmpty, !host.isLoading || host.cluster != nil else { return }
        if hasAllChanged { tellAllAnew() }
        let now = clock.now
        var next: Instant?
        if !owed.isEmpty {
            if now >= pace.next { tellOwed(from: now) }
            if !owed.isEmpty { next = pace.next }
        }
        if !watchers.isEmpty, !host.isLoading, let round = tellRows(at: now) { next = min(next ?? round, round) }
        if let next { wake(at: next) }
    }

    /// Whether virtual time has passed, as then it has for every timer, or flows have changed, which no session tells.
    private var hasAllChanged: Bool {
        let (now, flows) = (host.virtualClock == nil ? .zero : host.timekeeper.now, host.sessions.flowSignature)
        defer { (lastNow, lastFlows) = (now, flows) }
        return now != lastNow || flows != lastFlows
    }

    private func tellAllAnew() {
        // Sessions may have left their slots without a word.
        unwatched.removeAll()
        host.sessions.resumeObservingAll()
        for reader in watchers.values { reader.place = place(from: nil) }
        for reader in readers.values {
            for case .session(let name) in reader.topics { reader.owedViews.insert(name) }
            if !reader.owedViews.isEmpty { owe(reader) }
        }
    }

    private func wake(at instant: Instant) {
        alarm?.start(milliseconds: max(1, clock.now.duration(to: instant).milliseconds))
    }

    /// As many as there is time for; the others are next.
    private func tellOwed(from began: Instant) {
        let readers = owed
        var (statusText, count, bytes): (String?, Int, Int) = (nil, 0, 0)
        while count < readers.count, count == 0 || began.duration(to: clock.now) < Self.longest {
            let reader = readers[count]
            reader.isOwed = false
            if reader.hasRoom(room) { tell(reader, &statusText) } else { owe(reader) }
            (count, bytes) = (count + 1, bytes + reader.freshCount)
            flush(reader)
        }
        owed.removeFirst(count)
        loop.hasHandled(count)
        pace.hasTold(count, bytes: bytes, from: began, to: clock.now)
    }

    func flush(_ reader: FeedReader) {
        let bytes = reader.takeFresh()
        if !bytes.isEmpty { delegate?.send(bytes[...], to: reader.stream) }
    }

    // MARK: Each second

    private func secondIsOver() {
        seconds?.start(milliseconds: 1_000)
        secondsSinceBeat = (secondsSinceBeat + 1) % Self.beatSeconds
        cutOffStuck()
        lookAtLinks()
        figures = gauge.read()
        let haveFlowsChanged = readers.values.contains { $0.topics.contains(.flows) } && flowsTold != flowsText()
        for reader in readers.values {
            reader.isOwedBeat = secondsSinceBeat == 0 || reader.isNode
            reader.isOwedStatus = reader.topics.contains(.status)
            reader.isOwedFlows = reader.isOwedFlows || haveFlowsChanged && reader.topics.contains(.flows)
            if reader.isOwedBeat || reader.isOwedStatus || reader.isOwedFlows { owe(reader) }
        }
    }

    private func cutOffStuck() {
        let now = clock.now
        for reader in Array(readers.values) where reader.isStuck(at: now, after: Self.patience) {
            host.log.debug("a stream of the page is cut off: its client reads nothing")
            end(reader)
        }
    }

    /// Logins have ended: their streams do.
    func showOut() {
        for reader in Array(readers.values) where !reader.isLetIn() { end(reader) }
    }

    private func end(_ reader: FeedReader) {
        reader.stream.end()
        remove(reader)
    }

    /// What the flows' readers are told, which is also how a change is found.
    func flowsText() -> String {
        flowsTold = JSON.object([.init("flows", .array(host.sessions.flows.map(\.webJSON)))]).description
        return flowsTold
    }
}
