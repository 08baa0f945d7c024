// One round of bringing the tables up to date: the latest image of every changed session, and the history lines, of some batches.

import Memory
import Sessions
import Store

final class TablesRound {
    /// The last row of the log that this round covers.
    private let lastLogged: Int64
    /// The last life given out in its batches.
    private let lastLife: Life?

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
    /// The latest image of each session that is still there, in the order of row numbers.
    private let images: [(batch: Int, image: ImageEntry)]
    /// Sessions that have ended. They come first: another one may have the name or the row number by now.
    private let drops: [(id: UInt32, name: UnsafeRawBufferPointer)]
    private let scratch = RowText()

    /// A session is known by its name: each owner assigns slots of its own, and a log may have batches of several after a database went back
    /// in time.
    init(_ batches: [Batch], loggedThrough lastLogged: Int64, historyLines: Int) throws(DamagedBatch) {
        self.lastLogged = lastLogged
        var (named, latest, drops, lines) = ([NamedBatch](), LatestImages(), [(id: UInt32, name: UnsafeRawBufferPointer)](), 0)
        var lastLife: Life?
        for (number, bytes) in batches.enumerated() {
            var batch = NamedBatch(bytes)
            var decoder = try BatchDecoder(bytes.bytes)
            while let entry = try decoder.next() {
                switch entry {
                case .name(_, let text): batch.names.append(text)
                case .boot(let boot): batch.boot = boot
                case .line: lines += 1
                case .image(let image): latest.set(image, in: number)
                case .drop(let session, let name):
                    latest.drop(name)
                    drops.append((session, name))
                case .lastLife(let last): lastLife = last
                }
            }
            named.append(batch)
        }
        self.batches = named
        self.lastLife = lastLife
        self.drops = drops
        images = latest.inOrder
        lineCount = min(lines, historyLines)
        position.linesToSkip = max(0, lines - historyLines)
    }

    /// How many rows it writes, at most.
    var rowCount: Int { drops.count + images.count + lineCount }

    var isDone: Bool {
        position.drop == drops.count && position.session == images.count && position.batch == batches.count
    }

    /// Writes the next rows, in one transaction. Returns whether that was the last one.
    func step(_ shard: Shard, _ tables: any StoreTables) throws(StoreError) -> Bool {
        let (start, count) = (position, tables.rowsAtOnce)
        do throws(StoreError) {
            // A round that fits into one transaction takes its mark along.
            let fits = rowCount < count
            if !fits {
                try tables.write(shard, coveringLogThrough: nil) { writer throws(StoreError) in
                    try write(to: writer, atMost: count)
                }
            }
            guard fits || isDone else { return false }
            try tables.write(shard, coveringLogThrough: lastLogged) { writer throws(StoreError) in
                try write(to: writer, atMost: count)
                if let lastLife { try writer.remember(LifeCounter.lastKey, Int64(lastLife)) }
            }
            return true
        } catch {
            // The transaction was rolled back: the next step repeats it.
            position = start
            throw error
        }
    }

    /// Brings into the tables what the last owner of a shard has left in its log.
    static func settle(_ shard: Shard, _ tables: any StoreTables, historyLines: Int) throws {
        var (batches, last): ([Batch], Int64) = ([], 0)
        do {
            try tables.loadLog(shard) { number, bytes in
                batches += try BatchBytes(copying: bytes).batches()
                last = number
            }
            guard last > 0 else { return }
            let round = try TablesRound(batches, loggedThrough: last, historyLines: historyLines)
            while try !round.step(shard, tables) {}
        } catch let damage as DamagedBatch {
            throw StoreError(.damaged, "the log of shard \(shard.number) is damaged: \(damage)")
        }
    }

    private func write(to writer: any TableWriter, atMost count: Int) throws(StoreError) {
        var rest = count
        while rest > 0, position.drop < drops.count {
            let drop = drops[position.drop]
            try writer.drop(Self.row(of: drop.id), named: drop.name)
            position.drop += 1
            rest -= 1
        }
        while rest > 0, position.session < images.count {
            let (batch, image) = images[position.session]
            try scratch.write(image, batches[batch], to: writer)
            position.session += 1
            rest -= 1
        }
        while rest > 0, position.batch < batches.count {
            try writeLines(to: writer, &rest)
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

/// The latest image of each session, by name.
private struct LatestImages {
    private struct Name: Hashable {
        let bytes: UnsafeRawBufferPointer

        static func == (left: Name, right: Name) -> Bool { left.bytes.hasSameBytes(as: right.bytes) }

        func hash(into hasher: inout Hasher) { hasher.combine(bytes: bytes) }
    }

    typealias Image = (batch: Int, image: ImageEntry)

    private var indices: [Name: Int] = [:]
    /// The same by slot, which is nearly always that of the session's image before, and is found faster.
    private var likely: [UInt32: Int] = [:]
    private var images: [(name: UnsafeRawBufferPointer, image: Image?)] = []

    mutating func set(_ image: ImageEntry, in batch: Int) {
        if let index = likely[image.session], images[index].name.hasSameBytes(as: image.name) {
            return images[index].image = (batch, image)
        }
        let index = indices[Name(bytes: image.name)] ?? images.count
        likely[image.session] = index
        if index < images.count { return images[index].image = (batch, image) }
        indices[Name(bytes: image.name)] = index
        images.append((image.name, (batch, image)))
    }

    mutating func drop(_ name: UnsafeRawBufferPointer) {
        if let index = indices[Name(bytes: name)] { images[index].image = nil }
    }

    /// By row number: that is fastest for the tables.
    var inOrder: [Image] { images.compactMap(\.image).sorted { $0.image.session < $1.image.session } }
}

/// A batch with its names by number.
struct NamedBatch {
    let bytes: Batch
    var names: [UnsafeRawBufferPointer] = []
    /// The boot that its times count from, which may be an earlier one.
    var boot = UnsafeRawBufferPointer(start: nil, count: 0)

    init(_ bytes: Batch) {
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
