// A session as the store has it, read back on the writer's thread: parsing happens there, and the loop only makes the machine.

import GameFlow
import Memory
import Store

/// One session's row, as plain numbers, so that passing it on counts no references. Its texts are in its part's buffers.
struct StoredSession: Sendable {
    fileprivate(set) var id: Int64
    /// Index of its flow and state; numbering continues from part to part.
    let stateIndex: Int
    let version: Int64
    let isFrozen: Bool
    /// Milliseconds since 1970.
    let since: Int64
    let saved: Int64
    /// How long the daemon was down, in nanoseconds.
    let away: Int64
    /// How long it had been in its state by then.
    let inState: Int64
    /// Range of its timers among its part's.
    let timers: Range<Int>
    /// Index of its state's data among its part's; nil if the state carries only timers.
    let values: Int?
    let life: Int64
    let isQuarantined: Bool
    /// Whether the row is not what was written.
    let isDamaged: Bool
    /// Index of its waiting events among its part's; nil if there are none.
    let waiting: Int?
    /// Index of its parameters among its part's; nil where its flow has none.
    let context: Int?
    /// The number of its latest line.
    let seq: Int64
    fileprivate let texts: RowTexts

    /// Whether the store finds its row by number.
    var hasNumber: Bool { id != SessionRow.unnumbered }
    var wasUnrestored: Bool { id < 0 && hasNumber }
}

/// Where a row's texts lie in its part's two buffers, one of names and one of everything else.
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

/// A part of all sessions, with what their rows refer to.
struct StoredSessions: Sendable {
    fileprivate(set) var sessions: [StoredSession] = []
    /// States that no earlier part had; their indices continue from part to part.
    fileprivate(set) var newStates: [StoredState] = []
    fileprivate(set) var timers: [TimerImage] = []
    fileprivate(set) var values: [Result<JSON, RestoringError>] = []
    fileprivate(set) var contexts: [Result<JSON, RestoringError>] = []
    fileprivate(set) var waiting: [Result<SavedEvents, RestoringError>] = []
    fileprivate var names: [UInt8] = []
    /// The texts as they were read, for rows that must be set aside.
    fileprivate var bytes: [UInt8] = []

    var count: Int { sessions.count }

    /// The memory that the texts take, in bytes.
    var size: Int { names.count + bytes.count }

    /// Yields each session with its name, after passing the name to `foresee`, for prefetching, some sessions earlier.
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

    /// A row that owns its texts, and so outlives the part.
    func row(of session: StoredSession) -> StoredRow {
        let texts = session.texts
        return StoredRow(
            session: session, nameBytes: Array(names[texts.nameStart..<texts.nameStart + texts.name]),
            bytes: Array(bytes[texts.start..<texts.start + texts.count]))
    }
}

/// Collects rows into parts.
struct SessionCollector {
    private(set) var part = StoredSessions()
    private let moment: StoredTime
    private var indices: [StoredState: Int] = [:]
    private var latest: (state: StoredState, index: Int)?

    /// `moment` is when the daemon is back up.
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
                isQuarantined: row.quarantined || row.seal == .broken, isDamaged: row.seal == .broken,
                waiting: row.waiting.map { readWaiting($0) },
                context: row.context.map { readContext($0) }, seq: row.seq,
                texts: keep(row)))
    }

    /// Neighbouring rows are mostly in the same state, so the latest is compared first.
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
            part.values.append(.failure(RestoringError("its stored data is not JSON: \(error)")))
        }
        return part.values.count - 1
    }

    private mutating func readWaiting(_ text: Text) -> Int {
        part.waiting.append(
            Result { try SavedEvents.read(text) }.mapError { error in
                error as? RestoringError ?? RestoringError("its waiting events are not JSON: \(error)")
            })
        return part.waiting.count - 1
    }

    private mutating func readContext(_ text: Text) -> Int {
        do throws(JSONError) {
            part.contexts.append(.success(try JSON(parsing: text.string)))
        } catch {
            part.contexts.append(.failure(RestoringError("its parameters are not JSON: \(error)")))
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

    /// Returns the text's length.
    private mutating func keep(_ text: Text) -> Int {
        part.bytes.append(contentsOf: text)
        return text.count
    }

    private mutating func keepName(_ name: Text) -> Int {
        part.names.append(contentsOf: name)
        return name.count
    }
}

/// A flow and one of its states, by name.
struct StoredState: Hashable, Sendable {
    let flow: String
    let state: String

    fileprivate func isThat(of row: SessionRow) -> Bool {
        withText(flow) { isSame($0, row.flow) } && withText(state) { isSame($0, row.state) }
    }
}

/// A session's row that owns its texts.
package struct StoredRow: Sendable {
    private(set) var session: StoredSession
    fileprivate let nameBytes: [UInt8]
    fileprivate let bytes: [UInt8]

    var name: ByteString { nameBytes.withUnsafeBytes { ByteString($0) } }
    var flow: String { String(decoding: bytes[..<session.texts.flow], as: UTF8.self) }
    var state: String { text(after: session.texts.flow, session.texts.state) }
    var data: String { text(after: session.texts.flow + session.texts.state, session.texts.data) }
    /// Why it was set aside before, if it was.
    var problem: String? {
        session.texts.problem == 0 ? nil : String(decoding: bytes.suffix(session.texts.problem), as: UTF8.self)
    }

    private func text(after start: Int, _ count: Int) -> String {
        String(decoding: bytes[start..<start + count], as: UTF8.self)
    }

    /// Its row has a new number.
    mutating func move(to id: Int64) { session.id = id }

    /// Lends it as a store's row.
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
            quarantined: session.isQuarantined, seq: session.seq)
    }
}

private func isSame(_ one: Text, _ other: Text) -> Bool {
    UnsafeRawBufferPointer(one).hasSameBytes(as: UnsafeRawBufferPointer(other))
}

/// Clamped, so that arithmetic with values from a damaged or edited file cannot overflow.
private func plausible(_ nanoseconds: Int64) -> Int64 { min(max(0, nanoseconds), Int64.max / 4) }

package func wallNanoseconds(milliseconds: Int64) -> Int64 {
    let (nanoseconds, isBeyond) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
    return plausible(isBeyond ? .max : nanoseconds)
}
