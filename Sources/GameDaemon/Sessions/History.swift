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

    private let chunkCount: Int
    private let perSession: Int
    private var chunks: [UnsafeMutablePointer<HistoryLine>] = []
    /// The number of the next line.
    private(set) var next: UInt64 = 0

    init(_ limits: Limits = Limits()) {
        chunkCount = max(1, (limits.lines + Self.chunkSize - 1) / Self.chunkSize)
        perSession = max(1, limits.perSession)
    }

    deinit {
        let count = Int(min(next, UInt64(capacity)))
        for chunk in chunks.indices {
            chunks[chunk].deinitialize(count: min(Self.chunkSize, count - chunk * Self.chunkSize))
            chunks[chunk].deallocate()
        }
    }

    private var capacity: Int { chunkCount * Self.chunkSize }

    /// The serial number of the new line; `latest` is that of the session's line before it.
    mutating func append(_ occurrence: Occurrence, of session: UInt32, after latest: UInt64) -> UInt64 {
        let back = isKept(latest) ? UInt32(truncatingIfNeeded: next - latest) : 0
        let line = HistoryLine(occurrence: occurrence, session: session, back: back)
        let place = Int(next % UInt64(capacity))
        if next < UInt64(capacity) {
            if place % Self.chunkSize == 0 { chunks.append(.allocate(capacity: Self.chunkSize)) }
            (chunks[place / Self.chunkSize] + place % Self.chunkSize).initialize(to: line)
        } else {
            chunks[place / Self.chunkSize][place % Self.chunkSize] = line
        }
        next += 1
        return next - 1
    }

    /// The newest lines of a session, the newest first.
    func newest(_ count: Int, from latest: UInt64) -> [Occurrence] {
        var (lines, serial): ([Occurrence], UInt64) = ([], latest)
        while lines.count < min(count, perSession), isKept(serial) {
            let line = self[serial]
            lines.append(line.occurrence)
            guard line.back > 0, UInt64(line.back) <= serial else { break }
            serial -= UInt64(line.back)
        }
        return lines
    }

    private func isKept(_ serial: UInt64) -> Bool {
        serial < next && next - serial <= UInt64(capacity)
    }

    private subscript(serial: UInt64) -> HistoryLine {
        let place = Int(serial % UInt64(capacity))
        return chunks[place / Self.chunkSize][place % Self.chunkSize]
    }
}
