// A session as the database has it, read back on the writer's thread: what takes time is done there, and the loop only makes the
// machine.

import GameFlow
import JournalStore

/// One session's row, in numbers alone, so that to hand it on counts no references: its texts lie with those of the others.
struct KeptSession: Sendable {
    let id: Int64
    /// Which of its part's places it is in.
    let place: Int
    let version: Int64
    let isFrozen: Bool
    /// Milliseconds since 1970.
    let since: Int64
    let saved: Int64
    /// How long nobody was there.
    let away: Duration
    /// How long it had been in its state then.
    let inState: Duration
    /// Those of its part's timers that are its own.
    let timers: Range<Int>
    /// What else its state carries, among its part's; nil if that is nothing.
    let values: Int?
    fileprivate let texts: RowTexts

    var wasAside: Bool { id < 0 }
}

/// Where a row's texts lie: one behind the other.
private struct RowTexts {
    let start: Int
    let name: Int
    let flow: Int
    let state: Int
    let data: Int
    let timers: Int
    let extra: Int

    var count: Int { name + flow + state + data + timers + extra }
}

/// Some sessions, and what they have in common.
struct KeptSessions: Sendable {
    fileprivate(set) var sessions: [KeptSession] = []
    /// Where sessions are, as far as it had not been met before: numbers go on from part to part.
    fileprivate(set) var newPlaces: [KeptPlace] = []
    fileprivate(set) var timers: [TimerImage] = []
    fileprivate(set) var values: [Result<JSON, RestoringError>] = []
    /// As they were read, for their names, and for a row that has to be set aside.
    fileprivate var bytes: [UInt8] = []

    var count: Int { sessions.count }

    /// How much memory their texts take.
    var size: Int { bytes.count }

    /// Yields each with its name, and names to `foresee` somewhat earlier.
    func forEach(foresee: (Text) -> Void, _ body: (KeptSession, Text) -> Void) {
        let ahead = 16
        bytes.withUnsafeBytes { bytes in
            func name(_ index: Int) -> Text {
                let texts = sessions[index].texts
                return Text(rebasing: bytes[texts.start..<texts.start + texts.name])
            }
            for index in sessions.indices {
                if index + ahead < sessions.count { foresee(name(index + ahead)) }
                body(sessions[index], name(index))
            }
        }
    }

    /// A row that is there when the others are gone.
    func row(of session: KeptSession) -> KeptRow {
        let texts = session.texts
        return KeptRow(session: session, bytes: Array(bytes[texts.start..<texts.start + texts.count]))
    }
}

/// Makes parts of rows.
struct SessionCollector {
    private(set) var part = KeptSessions()
    private let moment: KeptTime
    private var places: [KeptPlace: Int] = [:]
    private var latest: (place: KeptPlace, number: Int)?

    /// `moment` is when nobody was away any more.
    init(until moment: KeptTime) {
        self.moment = moment
    }

    mutating func takePart() -> KeptSessions {
        defer { part = KeptSessions() }
        return part
    }

    mutating func append(_ row: SessionRow) {
        let kept = KeptTime(text: row.extra, wallNanoseconds: plausible(row.saved))
        let firstTimer = part.timers.count
        let values = readContents(row)
        part.sessions.append(
            KeptSession(
                id: row.id, place: place(row), version: row.version, isFrozen: row.paused, since: row.since, saved: row.saved,
                away: kept.away(until: moment),
                inState: .nanoseconds(max(0, kept.time.wallNanoseconds - wallNanoseconds(milliseconds: row.since))),
                timers: firstTimer..<part.timers.count, values: values, texts: keep(row)))
    }

    /// Sessions in one place mostly come one after the other.
    private mutating func place(_ row: SessionRow) -> Int {
        if let latest, latest.place.isThat(of: row) { return latest.number }
        let place = KeptPlace(flow: row.flow.string, state: row.state.string)
        let number = places[place] ?? places.count
        if number == places.count {
            places[place] = number
            part.newPlaces.append(place)
        }
        latest = (place, number)
        return number
    }

    private mutating func readContents(_ row: SessionRow) -> Int? {
        do throws(JSONError) {
            let data = row.data.elementsEqual("{}".utf8) ? nil : try JSON(parsing: row.data.string)
            try TimersText.read(row.timers, into: &part.timers)
            guard let data else { return nil }
            part.values.append(.success(data))
        } catch {
            part.values.append(.failure(RestoringError("what was kept of it is no JSON: \(error)")))
        }
        return part.values.count - 1
    }

    private mutating func keep(_ row: SessionRow) -> RowTexts {
        let start = part.bytes.count
        let name = keep(row.name)
        return RowTexts(
            start: start, name: name, flow: keep(row.flow), state: keep(row.state), data: keep(row.data),
            timers: keep(row.timers), extra: row.extra.map { keep($0) } ?? 0)
    }

    /// How long the text is. Names are found again by people's strings, so that somebody's bytes that are no text are mended.
    private mutating func keep(_ text: Text) -> Int {
        let start = part.bytes.count
        part.bytes.append(contentsOf: text)
        if !text.isEmpty, (try? UTF8Span(validating: part.bytes.span.extracting(start...))) == nil {
            part.bytes.replaceSubrange(start..., with: text.string.utf8)
        }
        return part.bytes.count - start
    }
}

/// Where sessions are: in which state of which flow.
struct KeptPlace: Hashable, Sendable {
    let flow: String
    let state: String

    fileprivate func isThat(of row: SessionRow) -> Bool {
        withText(flow) { isSame($0, row.flow) } && withText(state) { isSame($0, row.state) }
    }

    private func isSame(_ one: Text, _ other: Text) -> Bool {
        one.count == other.count && one.elementsEqual(other)
    }
}

/// A session's row, with its texts.
struct KeptRow: Sendable {
    let session: KeptSession
    fileprivate let bytes: [UInt8]

    var name: String { String(decoding: bytes[..<session.texts.name], as: UTF8.self) }
    var flow: String {
        String(decoding: bytes[session.texts.name..<session.texts.name + session.texts.flow], as: UTF8.self)
    }

    /// The row that it was, for the table of those that are set aside.
    func withRow(_ body: (SessionRow) throws(StoreError) -> Void) throws(StoreError) {
        try bytes.span.withUnsafeBytes { bytes throws(StoreError) in
            var start = 0
            func next(_ count: Int) -> Text {
                defer { start += count }
                return Text(rebasing: bytes[start..<start + count])
            }
            let texts = session.texts
            let (name, flow, state) = (next(texts.name), next(texts.flow), next(texts.state))
            let (data, timers, extra) = (next(texts.data), next(texts.timers), next(texts.extra))
            try body(
                SessionRow(
                    id: session.id, name: name, flow: flow, state: state, data: data, timers: timers, version: session.version,
                    since: session.since, saved: session.saved, paused: session.isFrozen,
                    extra: texts.extra == 0 ? nil : extra))
        }
    }
}

/// Whatever a file says, one can reckon with it.
private func plausible(_ nanoseconds: Int64) -> Int64 { min(max(0, nanoseconds), Int64.max / 4) }

func wallNanoseconds(milliseconds: Int64) -> Int64 {
    let (nanoseconds, isBeyond) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
    return plausible(isBeyond ? .max : nanoseconds)
}
