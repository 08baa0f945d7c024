// A session as the database has it, read back on the writer's thread: what takes time is done there, and the loop only makes the
// machine.

import GameFlow
import Glibc
import RESP
import Store

/// One session's row, in numbers alone, so that to hand it on counts no references: its texts lie with those of the others.
struct StoredSession: Sendable {
    let id: Int64
    /// Index of its state among its part's.
    let stateIndex: Int
    let version: Int64
    let isFrozen: Bool
    /// Milliseconds since 1970.
    let since: Int64
    let saved: Int64
    /// How long nobody was there, in nanoseconds.
    let away: Int64
    /// How long it had been in its state then.
    let inState: Int64
    /// Those of its part's timers that are its own.
    let timers: Range<Int>
    /// What else its state carries, among its part's; nil if that is nothing.
    let values: Int?
    /// Nil in one that was kept before lives had numbers.
    let life: Int64?
    let isQuarantined: Bool
    /// Its events that wait, among its part's; nil if there are none.
    let waiting: Int?
    /// Its parameters, among its part's; nil where its flow has none.
    let context: Int?
    fileprivate let texts: RowTexts

    var wasUnrestored: Bool { id < 0 }
}

/// Where a row's texts lie: the names of all rows one behind the other, and likewise what else each has.
private struct RowTexts {
    let nameStart: Int
    let name: Int
    let start: Int
    let flow: Int
    let state: Int
    let data: Int
    let timers: Int
    let extra: Int
    let waiting: Int
    let context: Int
    let problem: Int

    var count: Int { flow + state + data + timers + extra + waiting + context + problem }
}

/// Some sessions, and what they have in common.
struct StoredSessions: Sendable {
    fileprivate(set) var sessions: [StoredSession] = []
    /// Where sessions are, as far as it had not been met before: numbers go on from part to part.
    fileprivate(set) var newStates: [StoredState] = []
    fileprivate(set) var timers: [TimerImage] = []
    fileprivate(set) var values: [Result<JSON, RestoringError>] = []
    fileprivate(set) var contexts: [Result<JSON, RestoringError>] = []
    fileprivate(set) var waiting: [Result<[WaitingEvent], RestoringError>] = []
    fileprivate var names: [UInt8] = []
    /// As they were read, for a row that has to be set aside.
    fileprivate var bytes: [UInt8] = []

    var count: Int { sessions.count }

    /// How much memory their texts take.
    var size: Int { names.count + bytes.count }

    /// Yields each with its name, and names to `foresee` somewhat earlier.
    func forEach(foresee: (Text) -> Void, _ body: (StoredSession, Text) -> Void) {
        let ahead = 16
        names.withUnsafeBytes { names in
            func name(_ index: Int) -> Text {
                let texts = sessions[index].texts
                return Text(rebasing: names[texts.nameStart..<texts.nameStart + texts.name])
            }
            for index in sessions.indices {
                if index + ahead < sessions.count { foresee(name(index + ahead)) }
                body(sessions[index], name(index))
            }
        }
    }

    /// A row that is there when the others are gone.
    func row(of session: StoredSession) -> StoredRow {
        let texts = session.texts
        return StoredRow(
            session: session, nameBytes: Array(names[texts.nameStart..<texts.nameStart + texts.name]),
            bytes: Array(bytes[texts.start..<texts.start + texts.count]))
    }
}

/// Makes parts of rows.
struct SessionCollector {
    private(set) var part = StoredSessions()
    private let moment: StoredTime
    private var indices: [StoredState: Int] = [:]
    private var latest: (state: StoredState, index: Int)?

    /// `moment` is when nobody was away any more.
    init(until moment: StoredTime) {
        self.moment = moment
    }

    mutating func takePart() -> StoredSessions {
        defer { part = StoredSessions() }
        return part
    }

    mutating func append(_ row: SessionRow) {
        let kept = StoredTime(text: row.extra, wallNanoseconds: plausible(row.saved))
        let firstTimer = part.timers.count
        let values = readContents(row)
        part.sessions.append(
            StoredSession(
                id: row.id, stateIndex: stateIndex(row), version: row.version, isFrozen: row.paused, since: row.since,
                saved: row.saved,
                away: kept.away(until: moment),
                inState: max(0, kept.time.wallNanoseconds - wallNanoseconds(milliseconds: row.since)),
                timers: firstTimer..<part.timers.count, values: values, life: row.life,
                isQuarantined: row.quarantined || row.seal == .broken, waiting: row.waiting.map { readWaiting($0) },
                context: row.context.map { readContext($0) },
                texts: keep(row)))
    }

    /// Sessions in one state mostly come one after the other.
    private mutating func stateIndex(_ row: SessionRow) -> Int {
        if let latest, latest.state.isThat(of: row) { return latest.index }
        let state = StoredState(flow: row.flow.string, state: row.state.string)
        let index = indices[state] ?? indices.count
        if index == indices.count {
            indices[state] = index
            part.newStates.append(state)
        }
        latest = (state, index)
        return index
    }

    private mutating func readContents(_ row: SessionRow) -> Int? {
        do throws(JSONError) {
            let data = withText("{}") { isSame($0, row.data) } ? nil : try JSON(parsing: row.data.string)
            try TimersText.read(row.timers, into: &part.timers)
            guard let data else { return nil }
            part.values.append(.success(data))
        } catch {
            part.values.append(.failure(RestoringError("what was kept of it is no JSON: \(error)")))
        }
        return part.values.count - 1
    }

    private mutating func readWaiting(_ text: Text) -> Int {
        part.waiting.append(
            Result { try WaitingEvent.read(text) }.mapError { error in
                error as? RestoringError ?? RestoringError("the events that wait are no JSON: \(error)")
            })
        return part.waiting.count - 1
    }

    private mutating func readContext(_ text: Text) -> Int {
        do throws(JSONError) {
            part.contexts.append(.success(try JSON(parsing: text.string)))
        } catch {
            part.contexts.append(.failure(RestoringError("the parameters that it was begun with are no JSON: \(error)")))
        }
        return part.contexts.count - 1
    }

    private mutating func keep(_ row: SessionRow) -> RowTexts {
        RowTexts(
            nameStart: part.names.count, name: keepName(row.name), start: part.bytes.count, flow: keep(row.flow),
            state: keep(row.state), data: keep(row.data), timers: keep(row.timers), extra: row.extra.map { keep($0) } ?? 0,
            waiting: row.waiting.map { keep($0) } ?? 0, context: row.context.map { keep($0) } ?? 0,
            problem: row.problem.map { keep($0) } ?? 0)
    }

    /// How long the text is.
    private mutating func keep(_ text: Text) -> Int {
        part.bytes.append(contentsOf: text)
        return text.count
    }

    private mutating func keepName(_ name: Text) -> Int {
        part.names.append(contentsOf: name)
        return name.count
    }
}

/// Where sessions are: in which state of which flow.
struct StoredState: Hashable, Sendable {
    let flow: String
    let state: String

    fileprivate func isThat(of row: SessionRow) -> Bool {
        withText(flow) { isSame($0, row.flow) } && withText(state) { isSame($0, row.state) }
    }
}

/// A session's row, with its texts.
package struct StoredRow: Sendable {
    let session: StoredSession
    fileprivate let nameBytes: [UInt8]
    fileprivate let bytes: [UInt8]

    var name: ByteString { nameBytes.withUnsafeBytes { ByteString($0) } }
    var flow: String { String(decoding: bytes[..<session.texts.flow], as: UTF8.self) }
    /// Why it was set aside before, if it was.
    var problem: String? {
        session.texts.problem == 0 ? nil : String(decoding: bytes.suffix(session.texts.problem), as: UTF8.self)
    }

    /// The row that it was, for the table of those that are set aside.
    func withRow(_ body: (SessionRow) throws(StoreError) -> Void) throws(StoreError) {
        try nameBytes.span.withUnsafeBytes { name throws(StoreError) in
            try bytes.span.withUnsafeBytes { bytes throws(StoreError) in try body(row(name, bytes)) }
        }
    }

    private func row(_ name: Text, _ bytes: Text) -> SessionRow {
        var start = 0
        func next(_ count: Int) -> Text {
            defer { start += count }
            return Text(rebasing: bytes[start..<start + count])
        }
        let texts = session.texts
        let (flow, state, data, timers) = (next(texts.flow), next(texts.state), next(texts.data), next(texts.timers))
        return SessionRow(
            id: session.id, name: name, flow: flow, state: state, data: data, timers: timers, version: session.version,
            since: session.since, saved: session.saved, paused: session.isFrozen,
            extra: texts.extra == 0 ? nil : next(texts.extra), life: session.life,
            waiting: texts.waiting == 0 ? nil : next(texts.waiting), context: texts.context == 0 ? nil : next(texts.context),
            quarantined: session.isQuarantined)
    }
}

private func isSame(_ one: Text, _ other: Text) -> Bool {
    guard one.count == other.count, let start = one.baseAddress, let other = other.baseAddress else {
        return one.count == other.count
    }
    return memcmp(start, other, one.count) == 0
}

/// Whatever a file says, one can reckon with it.
private func plausible(_ nanoseconds: Int64) -> Int64 { min(max(0, nanoseconds), Int64.max / 4) }

package func wallNanoseconds(milliseconds: Int64) -> Int64 {
    let (nanoseconds, isBeyond) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
    return plausible(isBeyond ? .max : nanoseconds)
}
