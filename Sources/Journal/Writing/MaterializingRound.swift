// One round of materializing: the latest image of every changed session, and the history lines, of some batches.

import Sessions
import Store

/// The key of a session in all batches of a log.
enum SessionKey {
    /// Its slot, in a store with one owner.
    case slot
    /// Its name: each owner of a shard assigns slots of its own, and a log may have batches of several after the database went back in time.
    case name
}

final class MaterializingRound {
    /// The last log row that this round covers.
    var lastLogged: Int64?
    /// The last life given out in its batches.
    let lastLife: Life?

    /// How far the round has come, so that a failed transaction can be repeated.
    struct Position {
        fileprivate var drop = 0
        fileprivate var session = 0
        fileprivate var batch = 0
        fileprivate var lines: LineCursor?
        /// Lines beyond the history's capacity, which need not be written.
        fileprivate var linesToSkip = 0
    }

    var position = Position()

    private let batches: [NamedBatch]
    /// How many lines it writes, at most.
    private let lineCount: Int
    /// What has become of each session, in the order of row numbers.
    private let sessions: [(id: UInt32, fate: Fate)]
    /// Sessions that have ended, in a log where slots are one owner's own. They come first: another may have one's name by now.
    private let drops: [(id: UInt32, name: UnsafeRawBufferPointer)]
    private let scratch = RowText()

    fileprivate enum Fate {
        case image(batch: Int, ImageEntry)
        case dropped
    }

    init(_ batches: [BatchBytes], by key: SessionKey, historyLines: Int) throws(DamagedBatch) {
        var numbers = SessionNumbers(key)
        var (named, fates, drops, lines) = ([NamedBatch](), [UInt32: Fate](), [(id: UInt32, name: UnsafeRawBufferPointer)](), 0)
        var lastLife: Life?
        for (number, bytes) in batches.enumerated() {
            var batch = NamedBatch(bytes)
            var decoder = try BatchDecoder(bytes.bytes)
            while let entry = try decoder.next() {
                switch entry {
                case .name(_, let text): batch.names.append(text)
                case .boot(let boot): batch.boot = boot
                case .line: lines += 1
                case .image(let image): fates[numbers.number(image.session, image.name)] = .image(batch: number, image)
                case .drop(let session, nil): fates[session] = .dropped
                case .drop(let session, let name?):
                    fates[numbers.number(session, name)] = nil
                    drops.append((session, name))
                case .lastLife(let last): lastLife = last
                }
            }
            named.append(batch)
        }
        self.batches = named
        self.lastLife = lastLife
        self.drops = drops
        sessions = fates.map { ($0.key, $0.value) }.sorted { $0.id < $1.id }
        lineCount = min(lines, historyLines)
        position.linesToSkip = max(0, lines - historyLines)
    }

    /// How many rows it writes, at most.
    var rowCount: Int { drops.count + sessions.count + lineCount }

    var isDone: Bool {
        position.drop == drops.count && position.session == sessions.count && position.batch == batches.count
    }

    func write(to writer: any TableWriter, atMost count: Int) throws(StoreError) {
        var rest = count
        while rest > 0, position.drop < drops.count {
            let drop = drops[position.drop]
            try writer.drop(Self.row(of: drop.id), named: drop.name)
            position.drop += 1
            rest -= 1
        }
        while rest > 0, position.session < sessions.count {
            try write(sessions[position.session], to: writer)
            position.session += 1
            rest -= 1
        }
        while rest > 0, position.batch < batches.count {
            try writeLines(to: writer, &rest)
        }
    }

    private func write(_ session: (id: UInt32, fate: Fate), to writer: any TableWriter) throws(StoreError) {
        switch session.fate {
        case .dropped: try writer.drop(Self.row(of: session.id), named: nil)
        case .image(let batch, let image): try scratch.write(image, batches[batch], to: writer)
        }
    }

    /// Row numbers below zero are those of sessions that were set aside.
    private static func row(of id: UInt32) -> Int64 { Int64(Int32(bitPattern: id)) }

    /// Writes lines of the current batch, until it or `rest` is used up.
    private func writeLines(to writer: any TableWriter, _ rest: inout Int) throws(StoreError) {
        let batch = batches[position.batch]
        var cursor = position.lines ?? LineCursor(batch)
        while rest > 0 {
            guard let line = cursor.next() else {
                position.batch += 1
                position.lines = nil
                return
            }
            guard position.linesToSkip == 0 else {
                position.linesToSkip -= 1
                continue
            }
            try scratch.write(line.entry, of: line.name, batch, to: writer)
            rest -= 1
        }
        position.lines = cursor
    }
}

/// One number for all entries of a session.
private struct SessionNumbers {
    private struct Name: Hashable {
        let bytes: UnsafeRawBufferPointer

        static func == (left: Name, right: Name) -> Bool { left.bytes.elementsEqual(right.bytes) }

        func hash(into hasher: inout Hasher) { hasher.combine(bytes: bytes) }
    }

    private let key: SessionKey
    private var numbers: [Name: UInt32] = [:]

    init(_ key: SessionKey) {
        self.key = key
    }

    mutating func number(_ slot: UInt32, _ name: UnsafeRawBufferPointer) -> UInt32 {
        guard key == .name else { return slot }
        if let known = numbers[Name(bytes: name)] { return known }
        let next = UInt32(numbers.count)
        numbers[Name(bytes: name)] = next
        return next
    }
}

/// A batch with its names by number.
struct NamedBatch {
    let bytes: BatchBytes
    var names: [UnsafeRawBufferPointer] = []
    /// The boot that its times count from, which may be an earlier one.
    var boot = UnsafeRawBufferPointer(start: nil, count: 0)

    init(_ bytes: BatchBytes) {
        self.bytes = bytes
    }

    func name(_ number: UInt16) -> UnsafeRawBufferPointer? {
        Int(number) < names.count ? names[Int(number)] : nil
    }
}

/// Iterates over the lines of a batch that has been decoded once without error. A line gets its session's name from the refusal in
/// it, from the line itself where the session was dropped, or from the image that follows.
struct LineCursor {
    private var decoder: BatchDecoder?

    init(_ batch: NamedBatch) {
        decoder = try? BatchDecoder(batch.bytes.bytes)
    }

    mutating func next() -> (entry: LineEntry, name: UnsafeRawBufferPointer)? {
        var line: LineEntry?
        while let entry = try? decoder?.next() {
            switch entry {
            case .line(let found):
                if let name = found.refused?.session ?? found.name { return (found, name) }
                line = found
            case .image(let image):
                if let line, line.session == image.session { return (line, image.name) }
            case .boot, .name, .drop, .lastLife: continue
            }
        }
        return nil
    }
}
