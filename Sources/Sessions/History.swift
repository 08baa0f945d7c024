// What has happened, over all sessions: one ring of lines, the newest in place of the oldest. A session knows its newest line, and
// each line the one before it.

import GameFlow

/// Lines by their serial numbers, as long as they are kept.
package struct History: ~Copyable {
    /// How much is kept.
    package struct Limits {
        package var lines = 262_144
        package var perSession = 50
        /// For all texts of lines.
        package var bytes = 32 << 20

        package init(lines: Int = 262_144, perSession: Int = 50, bytes: Int = 32 << 20) {
            self.lines = lines
            self.perSession = perSession
            self.bytes = bytes
        }
    }

    private static let chunkSize = 4_096

    private let capacity: Int
    private let perSession: Int
    private var chunks: [UnsafeMutablePointer<HistoryLine>] = []
    private var texts: HistoryTexts
    private var codes = RefusalCodes()
    /// The number of the first line that is here, and of the next one.
    private var first: UInt64 = 0
    package private(set) var next: UInt64 = 0
    /// Where the next line goes.
    private var nextSlot = 0

    package init(_ limits: Limits = Limits()) {
        capacity = max(1, (limits.lines + Self.chunkSize - 1) / Self.chunkSize) * Self.chunkSize
        perSession = max(1, limits.perSession)
        texts = HistoryTexts(bytes: limits.bytes)
    }

    /// How much memory it holds, in bytes.
    package var footprint: Int { chunks.count * Self.chunkSize * MemoryLayout<HistoryLine>.stride + texts.footprint }

    deinit {
        freeLines()
    }

    private func freeLines() {
        for chunk in chunks { chunk.deallocate() }
    }

    /// Goes on where an earlier life left off: the next line has this number. There must be no line yet.
    package mutating func goOn(from serial: UInt64) {
        precondition(next == first, "a history that has begun goes on by itself")
        (first, next, nextSlot) = (serial, serial, 0)
    }

    /// The next line has this number. Where very many are missing in between, all those before them are out of reach.
    mutating func goOnOrSkip(to serial: UInt64) {
        if serial - next >= UInt64(capacity) { removeAll() }
        if next == first { return goOn(from: serial) }
        while next < serial { appendMissing() }
    }

    private mutating func appendMissing() {
        _ = append(Self.missing, of: Self.nobody, after: HistoryLine.none)
    }

    private static let nobody = UInt32.max

    private mutating func removeAll() {
        freeLines()
        chunks = []
        (next, nextSlot) = (first, 0)
    }

    private static let missing = Occurrence(
        from: 0, to: 0, cause: Cause(.orchestrator), detail: nil, at: .zero, version: 0)

    /// The serial number of the new line; `latest` is that of the session's line before it.
    package mutating func append(_ occurrence: borrowing Occurrence, of session: UInt32, after latest: UInt64) -> UInt64 {
        // Its short number would be none.
        if Self.short(next) == Self.noShort, session != Self.nobody { appendMissing() }
        let back = isInReach(latest) ? UInt32(truncatingIfNeeded: next - latest) : 0
        var line = HistoryLine(occurrence, of: session, back: back)
        if let detail = occurrence.detail { line.keep(detail, in: &texts, &codes) }
        freeLine().initialize(to: line)
        next += 1
        nextSlot += 1
        if nextSlot == capacity { nextSlot = 0 }
        return next - 1
    }

    /// The memory of the next line: new, or that of the oldest.
    @inline(__always)
    private mutating func freeLine() -> UnsafeMutablePointer<HistoryLine> {
        let (chunk, offset) = (nextSlot / Self.chunkSize, nextSlot % Self.chunkSize)
        if chunk == chunks.count { chunks.append(.allocate(capacity: Self.chunkSize)) }
        let line = chunks[chunk] + offset
        // The texts of those before it went with them.
        if next - first >= UInt64(capacity), line.pointee.hasTexts { texts.release(before: line.pointee.texts) }
        return line
    }

    /// The newest lines of a session, the newest first.
    package func newest(_ count: Int, of session: UInt32, from latest: UInt64, _ flow: FlowKind) -> [Occurrence] {
        var lines: [Occurrence] = []
        forEachLine(of: session, from: latest) { line in
            guard lines.count < count else { return false }
            lines.append(line.occurrence(of: flow, in: texts, codes))
            return true
        }
        return lines
    }

    /// The newest line of a session of which this is true.
    func first(of session: UInt32, from latest: UInt64, _ flow: FlowKind, where isIt: (HistoryLine) -> Bool) -> Occurrence? {
        var found: HistoryLine?
        forEachLine(of: session, from: latest) { line in
            if isIt(line) { found = line }
            return found == nil
        }
        return found?.occurrence(of: flow, in: texts, codes)
    }

    /// From the newest on, as many as are kept of a session, while `body` wants more.
    private func forEachLine(of session: UInt32, from latest: UInt64, _ body: (HistoryLine) -> Bool) {
        var (serial, left) = (latest, perSession)
        while left > 0, isInReach(serial) {
            let line = self[serial]
            // The line that was meant, or its texts, may have made room for others.
            guard line.session == session, !line.hasTexts || texts.has(line.texts), body(line), line.back > 0 else { return }
            serial -= UInt64(line.back)
            left -= 1
        }
    }

    private func isInReach(_ serial: UInt64) -> Bool {
        serial >= first && serial < next && next - serial <= UInt64(capacity)
    }

    private subscript(serial: UInt64) -> HistoryLine {
        let slot = Int((serial - first) % UInt64(capacity))
        return chunks[slot / Self.chunkSize][slot % Self.chunkSize]
    }

    // MARK: Short numbers

    /// Numbers in 28 bits: the ring has room for less lines than that.
    static let shortBits: UInt64 = 28
    static let noShort = UInt32(1) << 28 - 1

    /// The newest serial number with these last bits; that it is the one that was meant, its session tells.
    package func serial(_ short: UInt32) -> UInt64 {
        guard short != Self.noShort, next > 0 else { return HistoryLine.none }
        let back = (next &- 1 &- UInt64(short)) & UInt64(Self.noShort)
        return back < next ? next - 1 - back : HistoryLine.none
    }

    package static func short(_ serial: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: serial) & noShort }
}
