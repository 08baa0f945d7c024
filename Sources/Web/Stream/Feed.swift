// Tells the streams what happens: views and history lines at the end of each turn, rows of the overview a few times a second.

import Commands
import EventLoop
import GameFlow
import HTTP
import Installation
import RESP
import Sessions
import Timers

/// It tells what is true now, not everything that was: who reads slowly gets the newest view, and fewer of them. It takes no more than a
/// small part of the daemon's time: after a round that took long, the next one is further away.
final class Feed: SessionObserver {
    let host: Host
    private let loop: Loop
    private var readers: [ObjectIdentifier: FeedReader] = [:]
    private var viewers: [ByteString: [ObjectIdentifier: FeedReader]] = [:]
    private var historians: [ByteString: [ObjectIdentifier: FeedReader]] = [:]
    /// Those that watch all sessions.
    private var watchers: [ObjectIdentifier: FeedReader] = [:]
    /// Those with something to tell in this turn.
    private var owed: [ObjectIdentifier: FeedReader] = [:]
    var changes = Changes()
    private let clock = SystemClock()
    private var rounds: Delay?
    private var seconds: Delay?
    /// When rows may be told again.
    private var nextRound = Instant.zero
    private var lastNow = Instant.zero
    /// Called with what a stream is to be sent.
    var isRead: (ArraySlice<UInt8>, HTTPStream) -> Void = { _, _ in }
    /// The members of the status that others know.
    var status: () -> [JSON.Member] = { [] }
    private var rates = Rates()
    /// Distinguishes this process from others whose numbers mean something else.
    let boot = String(Secret().description.prefix(12))
    private var flowsTold = ""

    private static let most = 4_096
    private static let shortestRound = Duration.milliseconds(100)
    /// The part of the daemon's time that rows may take.
    private static let part = 20
    private static let beatSeconds = 15
    private static let patience = Duration.seconds(30)
    private var secondsSinceBeat = 0

    init(of host: Host, on loop: Loop) throws(LoopFailure) {
        (self.host, self.loop) = (host, loop)
        rounds = try Delay(on: loop) { [unowned self] in _ = self }
        seconds = try Delay(on: loop) { [unowned self] in secondIsOver() }
    }

    var readerCount: Int { readers.count }

    // MARK: Readers

    func checkRoom() throws(CommandError) {
        guard readers.count < Self.most else {
            throw CommandError(
                .limit, "\(readers.count) streams are open, as many as are allowed; close some, or try again later")
        }
    }

    func add(_ stream: HTTPStream, _ topics: [Topic], since: String?) -> FeedReader {
        let reader = FeedReader(stream, topics)
        let me = ObjectIdentifier(reader)
        if readers.isEmpty { begin() }
        readers[me] = reader
        reader.tookLast = clock.now
        for topic in topics {
            switch topic {
            case .sessions: watch(reader, since)
            case .status: break
            case .flows: reader.isOwedFlows = true
            case .session(let name):
                viewers[ByteString(name), default: [:]][me] = reader
                reader.owedViews.append(name)
            case .history(let name): historians[ByteString(name), default: [:]][me] = reader
            }
        }
        greet(reader)
        owe(reader)
        return reader
    }

    private func watch(_ reader: FeedReader, _ since: String?) {
        watchers[ObjectIdentifier(reader)] = reader
        if let number = since.flatMap(position), number >= changes.oldest, number <= changes.next {
            reader.position = number
        } else {
            tellWhole(reader)
        }
    }

    private func tellWhole(_ reader: FeedReader) {
        (reader.position, reader.cursor, reader.beginsWhole) = (changes.next, 0, true)
    }

    /// The number in an id of this process.
    private func position(_ id: String) -> UInt64? {
        let parts = id.split(separator: "-")
        guard parts.count == 2, parts[0] == boot else { return nil }
        return UInt64(parts[1])
    }

    func id(of reader: FeedReader) -> String { reader.cursor == nil ? "\(boot)-\(reader.position)" : boot }

    func remove(_ reader: FeedReader) {
        let me = ObjectIdentifier(reader)
        readers[me] = nil
        watchers[me] = nil
        owed[me] = nil
        for topic in reader.topics {
            switch topic {
            case .session(let name): Self.remove(me, ByteString(name), from: &viewers)
            case .history(let name): Self.remove(me, ByteString(name), from: &historians)
            case .sessions, .status, .flows: break
            }
        }
        if readers.isEmpty { rest() }
    }

    private static func remove(
        _ reader: ObjectIdentifier, _ name: ByteString, from audience: inout [ByteString: [ObjectIdentifier: FeedReader]]
    ) {
        audience[name]?[reader] = nil
        if audience[name]?.isEmpty == true { audience[name] = nil }
    }

    /// Somebody reads.
    private func begin() {
        host.sessions.add(self)
        rates = Rates(host)
        seconds?.start(milliseconds: 1_000)
    }

    /// Nobody reads: nothing is done any more.
    private func rest() {
        host.sessions.remove(self)
        changes.forget()
        seconds?.stop()
        rounds?.stop()
    }

    func stop() {
        for reader in readers.values { reader.stream.end() }
        (readers, viewers, historians, watchers, owed) = ([:], [:], [:], [:], [:])
        rest()
        (seconds, rounds) = (nil, nil)
    }

    private func owe(_ reader: FeedReader) { owed[ObjectIdentifier(reader)] = reader }

    // MARK: What happens

    func sessionDid(_ occurrence: borrowing Occurrence, _ session: Session) {
        let name = session.nameBytes
        if !historians.isEmpty, let audience = historians[name] { tellLine(occurrence, session, audience) }
        guard !occurrence.isRefused else { return }
        if !watchers.isEmpty {
            if occurrence.what == .dropped { changes.add(gone: name) } else { changes.add(slot: session.machine.tag) }
        }
        if !viewers.isEmpty { hasChanged(name) }
    }

    private func hasChanged(_ name: ByteString) {
        guard let audience = viewers[name] else { return }
        let text = "\(name)"
        for reader in audience.values {
            if !reader.owedViews.contains(text) { reader.owedViews.append(text) }
            owe(reader)
        }
    }

    private func tellLine(_ occurrence: borrowing Occurrence, _ session: Session, _ audience: [ObjectIdentifier: FeedReader]) {
        let text = Lines.text([Lines.Line(copy occurrence, seq: session.seq)], of: session, host)
        for reader in audience.values where reader.hasRoom {
            reader.tell("lines", id: id(of: reader), text)
            owe(reader)
        }
    }

    // MARK: The end of a turn

    func endTurn() {
        guard !readers.isEmpty, !host.isLoading else { return }
        if !watchers.isEmpty { tellRows() }
        guard !owed.isEmpty else { return }
        let now = owed.values
        owed = [:]
        var views: [String: String] = [:]
        for reader in now {
            tellViews(reader, &views)
            if reader.isOwedFlows { tellFlows(reader) }
            flush(reader)
        }
    }

    private func flush(_ reader: FeedReader) {
        let bytes = reader.takeFresh()
        if !bytes.isEmpty { isRead(bytes[...], reader.stream) }
    }

    private func greet(_ reader: FeedReader) {
        let hello: JSON = [
            "boot": .string(boot), "version": .string(gamedVersion),
            "clock": .string(host.virtualClock == nil ? "system" : "virtual"),
            "now_ms": .integer(host.wallMilliseconds),
        ]
        reader.tell("hello", id: id(of: reader), hello.description)
        for topic in reader.topics {
            guard case .history(let name) = topic else { continue }
            reader.tell("lines", id: id(of: reader), Lines.latest(of: name, host))
        }
        if reader.watchesStatus { reader.tell("status", id: id(of: reader), statusText()) }
    }

    private func tellViews(_ reader: FeedReader, _ known: inout [String: String]) {
        guard !reader.owedViews.isEmpty, reader.hasRoom else { return }
        for name in reader.owedViews {
            let text = known[name] ?? Self.viewText(name, host)
            known[name] = text
            reader.tell("view", id: id(of: reader), text)
        }
        reader.owedViews = []
    }

    private static func viewText(_ name: String, _ host: Host) -> String {
        let view = host.sessions.find(name).map { Commands.viewText(of: $0) } ?? "null"
        return #"{"session":"# + JSON.string(name).description + #","view":"# + view + "}"
    }

    private func tellFlows(_ reader: FeedReader) {
        reader.isOwedFlows = false
        reader.tell("flows", id: id(of: reader), flowsText())
    }

    private func flowsText() -> String {
        flowsTold = JSON.object([.init("flows", .array(host.sessions.flows.map(\.webJSON)))]).description
        return flowsTold
    }

    // MARK: Rows

    /// In rounds, so that a thousand changes a second are told a few times a second.
    private func tellRows() {
        if host.virtualClock != nil, host.timekeeper.now != lastNow {
            lastNow = host.timekeeper.now
            for reader in watchers.values { tellWhole(reader) }
        }
        let behind = watchers.values.filter { ($0.cursor != nil || $0.position < changes.next) && $0.hasRoom }
        guard !behind.isEmpty else { return }
        let began = clock.now
        guard began >= nextRound else { return wait(from: began) }
        var written: [UInt64: Piece] = [:]
        for reader in behind {
            if reader.cursor != nil { tellPieceOfWhole(reader) } else { tellChanges(reader, &written) }
            flush(reader)
        }
        let took = began.duration(to: clock.now) + .microseconds(8 * behind.count)
        nextRound = began.advanced(by: max(Self.shortestRound, took * Self.part))
        if behind.contains(where: { $0.cursor != nil }) {
            nextRound = min(nextRound, began.advanced(by: max(.milliseconds(5), took * 4)))
        }
        loop.hasHandled(behind.count)
        wait(from: clock.now)
    }

    private func wait(from now: Instant) {
        guard rounds?.isRunning == false else { return }
        rounds?.start(milliseconds: max(1, now.duration(to: nextRound).milliseconds))
    }

    /// Rows in one event.
    private static let mostRows = 500

    private func tellPieceOfWhole(_ reader: FeedReader) {
        guard let cursor = reader.cursor else { return }
        let (sessions, next) = host.sessions.scan(from: cursor, atMost: Self.mostRows)
        var text = JSONText(reserving: 256 * sessions.count + 64)
        text.beginObject()
        text.member("whole", reader.beginsWhole)
        text.member("more", next != 0)
        text.name("rows")
        text.beginArray()
        for session in sessions { text.append(row: session) }
        text.endArray()
        text.name("gone")
        text.value(written: "[]")
        text.endObject()
        reader.cursor = next == 0 ? nil : next
        reader.beginsWhole = false
        reader.tell("rows", id: id(of: reader), text.finished())
    }

    private struct Piece {
        let text: String
        let next: UInt64
    }

    /// Readers that are equally far get the same text.
    private func tellChanges(_ reader: FeedReader, _ written: inout [UInt64: Piece]) {
        guard reader.position >= changes.oldest else { return tellWhole(reader) }
        let piece = written[reader.position] ?? write(from: reader.position)
        written[reader.position] = piece
        reader.position = piece.next
        reader.tell("rows", id: id(of: reader), piece.text)
    }

    private func write(from position: UInt64) -> Piece {
        let found = changes.changes(from: position, atMost: Self.mostRows)
        var text = JSONText(reserving: 256 * found.slots.count + 64)
        text.beginObject()
        text.member("whole", false)
        text.member("more", false)
        text.name("rows")
        text.beginArray()
        for slot in found.slots {
            if let session = host.sessions.scan(from: Int(slot), atMost: 1).sessions.first { text.append(row: session) }
        }
        text.endArray()
        // A name that has been given again is not gone.
        let gone = found.gone.filter { host.sessions.find($0) == nil }
        text.member("gone", JSON.array(gone.map { .string("\($0)") }))
        text.endObject()
        return Piece(text: text.finished(), next: found.next)
    }

    // MARK: Each second

    private func secondIsOver() {
        guard !readers.isEmpty else { return }
        seconds?.start(milliseconds: 1_000)
        secondsSinceBeat += 1
        let beats = secondsSinceBeat >= Self.beatSeconds
        if beats { secondsSinceBeat = 0 }
        cutOffStuck()
        rates.measure(host)
        let isWatched = readers.values.contains(where: \.watchesStatus)
        let status = isWatched ? statusText() : ""
        let haveFlowsChanged = readers.values.contains { $0.topics.contains(.flows) } && flowsTold != flowsText()
        for reader in readers.values where reader.hasRoom {
            if beats { reader.beat() }
            if reader.watchesStatus { reader.tell("status", id: id(of: reader), status) }
            if haveFlowsChanged, reader.topics.contains(.flows) { reader.isOwedFlows = true }
            owe(reader)
        }
    }

    private func cutOffStuck() {
        let now = clock.now
        for reader in Array(readers.values) where reader.isStuck(at: now, after: Self.patience) {
            host.log.debug("a stream of the page is cut off: its client reads nothing")
            reader.stream.end()
            remove(reader)
        }
    }

    private func statusText() -> String {
        let next = host.sessions.nextFirings(8).map { firing -> JSON in
            [
                "session": .string(firing.session.name), "timer": .string(firing.timer.plan.name),
                "event": firing.timer.plan.messageName.map { .string($0) } ?? .null,
                "remaining_ms": .integer(firing.timer.remaining?.milliseconds ?? 0),
            ]
        }
        return JSON.object(
            [
                .init("sessions", .integer(host.sessions.count)), .init("aside", .integer(host.sessions.unrestored.count)),
                .init("events_per_s", .integer(rates.events)), .init("refused_per_s", .integer(rates.refused)),
                .init("streams", .integer(readers.count)), .init("trouble", host.trouble.map { .string($0.sentence) } ?? .null),
                .init("next", .array(next)), .init("devices", .array(host.devices.reports.map(\.webJSON))),
            ] + status()
        ).description
    }
}
