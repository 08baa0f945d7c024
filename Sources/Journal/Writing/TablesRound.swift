// One round of bringing the tables up to date: the latest image of every changed session, and the history, of some batches. It is read
// and written in bounded pieces, between which commits continue.

import Sessions
import Store

final class TablesRound {
    /// Bytes of batches that are read in one piece.
    private static let bytesAtOnce = 256 << 10
    /// As many entries of the history take about as long as a session's row.
    private static let entriesOfRow = 16

    /// The last row of the log that this round covers.
    let lastLogged: Int64
    private let historyLines: Int
    /// The serial number of the newest entry in the tables; -1 without entries. After a crash, batches repeat entries up to it.
    private let newestEntry: Int64

    // Input.
    private let batches: [Batch]
    private var next = 0
    private var named: [NamedBatch] = []
    private var latest = LatestImages()
    private var latestRepeats: [Int64: RepeatRow] = [:]
    private var open = OpenBlock()

    // Output.
    /// Sessions that have ended. They come first: another one may have the name or the row number by now.
    private var drops: [(id: UInt32, name: StoredName)] = []
    /// The latest image of each session that is still there, in the order of row numbers.
    private var images: [(batch: Int, image: ImageEntry)] = []
    /// The newest entries, up to the history's capacity.
    private var blocks: [OwnedBlock] = []
    private var entryCount = 0
    /// How often entries have happened, the latest of each.
    private var repeats: [RepeatRow] = []
    /// The last life given out in its batches.
    private var lastLife: Life?
    private let scratch = RowText()

    /// How far it has written, so that a failed transaction can be repeated.
    private struct Position {
        var drop = 0
        var session = 0
        var block = 0
        var `repeat` = 0
    }

    private var position = Position()

    /// Identifies a session by its name, since each owner assigns its own slots. A log may have batches of several owners after a
    /// database went back in time.
    init(_ batches: [Batch], loggedThrough lastLogged: Int64, after newestEntry: Int64?, historyLines: Int) {
        (self.batches, self.lastLogged, self.historyLines) = (batches, lastLogged, historyLines)
        self.newestEntry = newestEntry ?? -1
    }

    /// Does the next piece. Returns whether that was the last one.
    func step(_ shard: Shard, _ tables: any StoreTables) throws -> Bool {
        guard next == batches.count else {
            try read()
            return false
        }
        return try write(shard, tables)
    }

    // MARK: Reading

    private func read() throws(DamagedBatch) {
        var bytes = 0
        while next < batches.count, bytes < Self.bytesAtOnce {
            bytes += batches[next].bytes.count
            try read(batches[next])
            next += 1
        }
        guard next == batches.count else { return }
        if let last = open.close() { add(last) }
        images = latest.inOrder
        repeats = latestRepeats.values.sorted { $0.serial < $1.serial }
        (latest, latestRepeats) = (LatestImages(), [:])
    }

    private func read(_ bytes: Batch) throws(DamagedBatch) {
        var decoder = try BatchDecoder(bytes.bytes)
        open.beginBatch()
        while let entry = try decoder.next() {
            switch entry {
            case .line(let line): add(line, of: decoder.names)
            case .image(let image): latest.set(image, in: named.count)
            case .drop(let session, let name):
                latest.drop(name)
                drops.append((session, name))
            case .lastLife(let last): lastLife = last
            }
        }
        named.append(NamedBatch(bytes: bytes, names: decoder.names, boot: decoder.boot))
    }

    private func add(_ line: LoggedEntry, of names: BatchNames) {
        let serial = Int64(clamping: line.number.serial)
        if line.number.times > 1 {
            latestRepeats[serial] = RepeatRow(
                serial: serial, times: Int64(line.number.times), lastAt: line.wallNanoseconds / 1_000_000,
                lastSeq: Int64(line.number.seq), lastVersion: Int64(line.entry.version))
        } else if serial > newestEntry {
            if let full = open.add(line, of: names) { add(full) }
        }
    }

    private func add(_ block: OwnedBlock) {
        blocks.append(block)
        entryCount += block.count
        while let oldest = blocks.first, entryCount - oldest.count >= historyLines {
            entryCount -= oldest.count
            blocks.removeFirst()
        }
    }

    // MARK: Writing

    private var isDone: Bool {
        position.drop == drops.count && position.session == images.count && position.block == blocks.count
            && position.repeat == repeats.count
    }

    /// Writes the next rows, in one transaction. Returns whether that was the last one.
    private func write(_ shard: Shard, _ tables: any StoreTables) throws(StoreError) -> Bool {
        let (start, count) = (position, tables.rowsAtOnce)
        do throws(StoreError) {
            // A round that fits into one transaction takes its mark along.
            let fits = drops.count + images.count + entryCount / Self.entriesOfRow + blocks.count + repeats.count < count
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
    static func applyLog(of shard: Shard, _ tables: any StoreTables, historyLines: Int) throws {
        do {
            let (batches, last) = try tables.loadBatches(of: shard)
            guard last > 0 else { return }
            let round = TablesRound(
                batches, loggedThrough: last, after: try tables.newestEntry(in: shard), historyLines: historyLines)
            try round.finish(shard, tables)
        } catch let damage as DamagedBatch {
            throw StoreError(.damaged, "the log of shard \(shard.number) is damaged: \(damage)")
        }
    }

    /// On a full disk, a write that has failed makes room where it can: it is tried once more.
    private func finish(_ shard: Shard, _ tables: any StoreTables) throws {
        var (isDone, hasFailed) = (false, false)
        while !isDone {
            do {
                isDone = try step(shard, tables)
            } catch let error as StoreError where error.cause == .full && !hasFailed {
                hasFailed = true
            }
        }
    }

    private func write(to writer: any TableWriter, atMost count: Int) throws(StoreError) {
        var rest = count
        while rest > 0, position.drop < drops.count {
            let drop = drops[position.drop]
            try drop.name.withText { name throws(StoreError) in try writer.drop(Self.row(of: drop.id), named: name) }
            position.drop += 1
            rest -= 1
        }
        while rest > 0, position.session < images.count {
            let (batch, image) = images[position.session]
            try scratch.write(image, named[batch], to: writer)
            position.session += 1
            rest -= 1
        }
        while rest > 0, position.block < blocks.count {
            try blocks[position.block].write(to: writer)
            rest -= 1 + blocks[position.block].count / Self.entriesOfRow
            position.block += 1
        }
        while rest > 0, position.repeat < repeats.count {
            try writer.repeat(repeats[position.repeat])
            position.repeat += 1
            rest -= 1
        }
    }

    /// Row numbers below zero are those of sessions that were set aside.
    private static func row(of id: UInt32) -> Int64 { Int64(Int32(bitPattern: id)) }
}

extension StoreTables {
    /// The batches that the tables do not cover, and the last number of the log; 0 if there are none.
    func loadBatches(of shard: Shard) throws -> (batches: [Batch], last: Int64) {
        var (batches, last): ([Batch], Int64) = ([], 0)
        try loadLog(shard) { number, bytes in
            batches += try BatchBytes(copying: bytes).batches()
            last = number
        }
        return (batches, last)
    }
}

/// The latest image of each session, by name.
private struct LatestImages {
    private struct Name: Hashable {
        let name: StoredName

        static func == (one: Name, other: Name) -> Bool { one.name == other.name }

        func hash(into hasher: inout Hasher) { hasher.combine(bytes: name.bytes) }
    }

    typealias Image = (batch: Int, image: ImageEntry)

    private var indices: [Name: Int] = [:]
    /// The same by slot, which is nearly always that of the session's image before, and is found faster.
    private var likely: [UInt32: Int] = [:]
    private var images: [(name: StoredName, image: Image?)] = []

    mutating func set(_ image: ImageEntry, in batch: Int) {
        let (slot, name) = (image.head.session, image.head.name)
        if let index = likely[slot], images[index].name == name { return images[index].image = (batch, image) }
        let index = indices[Name(name: name)] ?? images.count
        likely[slot] = index
        if index < images.count { return images[index].image = (batch, image) }
        indices[Name(name: name)] = index
        images.append((name, (batch, image)))
    }

    mutating func drop(_ name: StoredName) {
        if let index = indices[Name(name: name)] { images[index].image = nil }
    }

    /// By row number: that is fastest for the tables. Numbers are sorted, and not the images, which are large.
    var inOrder: [Image] {
        var order: [UInt64] = []
        for (index, entry) in images.enumerated() {
            if let image = entry.image { order.append(UInt64(image.image.head.session) << 32 | UInt64(index)) }
        }
        order.sort()
        return order.compactMap { images[Int($0 & 0xFFFF_FFFF)].image }
    }
}
