// What has happened, over all sessions: one ring of lines, the newest in place of the oldest. A session knows its newest line, and
// each line the one before it.

import GameFlow
import Timers

/// One thing that has happened to one session.
struct HistoryLine {
    /// No line.
    static let none = UInt64.max

    let occurrence: Occurrence
    let session: UInt32
    /// How many lines back the session's line before this one is; 0 if there is none.
    let back: UInt32
}

/// Lines by their serial numbers, as long as they are kept.
struct History: ~Copyable {
    /// How much is kept.
    struct Limits {
        var lines = 262_144
        var perSession = 50
    }

    private static let chunkSize = 4_096

    private let capacity: Int
    private let perSession: Int
    private var chunks: [UnsafeMutablePointer<HistoryLine>] = []
    /// The number of the first line that is here, and of the next one.
    private var first: UInt64 = 0
    private(set) var next: UInt64 = 0
    /// Where the next line goes.
    private var nextPlace = 0

    init(_ limits: Limits = Limits()) {
        capacity = max(1, (limits.lines + Self.chunkSize - 1) / Self.chunkSize) * Self.chunkSize
        perSession = max(1, limits.perSession)
    }

    deinit {
        freeLines()
    }

    private func freeLines() {
        let count = Int(min(next - first, UInt64(capacity)))
        for chunk in chunks.indices {
            chunks[chunk].deinitialize(count: min(Self.chunkSize, count - chunk * Self.chunkSize))
            chunks[chunk].deallocate()
        }
    }

    /// Goes on where an earlier life left off: the next line has this number. There must be no line yet.
    mutating func goOn(from serial: UInt64) {
        precondition(next == first, "a history that has begun goes on by itself")
        (first, next, nextPlace) = (serial, serial, 0)
    }

    /// The next line has this number. Where very many are missing in between, all those before them are out of reach.
    mutating func goOnOrSkip(to serial: UInt64) {
        if serial - next >= UInt64(capacity) { removeAll() }
        if next == first { return goOn(from: serial) }
        while next < serial { _ = append(Self.missing, of: .max, after: HistoryLine.none) }
    }

    private mutating func removeAll() {
        freeLines()
        chunks = []
        (next, nextPlace) = (first, 0)
    }

    private static let missing = Occurrence(
        from: 0, to: 0, cause: Cause(.orchestrator), detail: nil, at: .zero, version: 0)

    /// The serial number of the new line; `latest` is that of the session's line before it.
    mutating func append(_ occurrence: consuming Occurrence, of session: UInt32, after latest: UInt64) -> UInt64 {
        let back = isKept(latest) ? UInt32(truncatingIfNeeded: next - latest) : 0
        freeLine().initialize(to: HistoryLine(occurrence: occurrence, session: session, back: back))
        next += 1
        nextPlace += 1
        if nextPlace == capacity { nextPlace = 0 }
        return next - 1
    }

    /// The memory of the next line: new, or that of the oldest.
    @inline(__always)
    private mutating func freeLine() -> UnsafeMutablePointer<HistoryLine> {
        let (chunk, place) = (nextPlace / Self.chunkSize, nextPlace % Self.chunkSize)
        if next - first >= UInt64(capacity) {
            (chunks[chunk] + place).deinitialize(count: 1)
        } else if place == 0 {
            chunks.append(.allocate(capacity: Self.chunkSize))
        }
        return chunks[chunk] + place
    }

    /// The newest lines of a session, the newest first.
    func newest(_ count: Int, from latest: UInt64) -> [Occurrence] {
        var (lines, serial): ([Occurrence], UInt64) = ([], latest)
        while lines.count < min(count, perSession), isKept(serial) {
            let line = self[serial]
            lines.append(line.occurrence)
            guard line.back > 0 else { break }
            serial -= UInt64(line.back)
        }
        return lines
    }

    /// The newest line of a session of which this is true.
    func first(from latest: UInt64, where isIt: (borrowing Occurrence) -> Bool) -> Occurrence? {
        var (serial, left) = (latest, perSession)
        while left > 0, isKept(serial) {
            let line = lines(serial)
            if isIt(line.pointee.occurrence) { return line.pointee.occurrence }
            guard line.pointee.back > 0 else { return nil }
            serial -= UInt64(line.pointee.back)
            left -= 1
        }
        return nil
    }

    private func lines(_ serial: UInt64) -> UnsafeMutablePointer<HistoryLine> {
        let place = place(of: serial)
        return chunks[place / Self.chunkSize] + place % Self.chunkSize
    }

    private func isKept(_ serial: UInt64) -> Bool {
        serial >= first && serial < next && next - serial <= UInt64(capacity)
    }

    private func place(of serial: UInt64) -> Int { Int((serial - first) % UInt64(capacity)) }

    private subscript(serial: UInt64) -> HistoryLine {
        let place = place(of: serial)
        return chunks[place / Self.chunkSize][place % Self.chunkSize]
    }
}
