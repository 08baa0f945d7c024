// A block of history that is being written, as JSON.

import GameFlow
import Memory
import Sessions
import Store

/// Noncopyable: a computed property of a copyable struct in a class copies the struct.
struct OpenBlock: ~Copyable {
    /// A block is full at this many entries or bytes.
    private static let (maxEntries, maxBytes) = (256, 48 << 10)
    private static let words = HistoryEntry.Kind.allCases.map { Array($0.name.utf8) }
    private static let sources = EventSource.allCases.map { Array($0.name.utf8) }

    private var names = NameList()
    private let entries = BatchBytes(capacity: 64 << 10)
    private var (first, last, count): (Int64, Int64, Int) = (0, 0, 0)
    /// After the last value of the open entry that is not null.
    private var end = 0
    /// Where names of the open block are in its list: of the batch that is read, by number; of words and of sources.
    private var (ofBatch, ofWords, ofSources) = (IndexCache(), IndexCache(), IndexCache())

    private var isFull: Bool { count == Self.maxEntries || entries.count >= Self.maxBytes }

    /// The block, if there is anything in it. The next entry begins another one.
    mutating func close() -> OwnedBlock? {
        guard count > 0 else { return nil }
        entries.append("]")
        let block = OwnedBlock(
            first: first, last: last, count: count, names: names.json, entries: BatchBytes(copying: entries.bytes))
        names.removeAll()
        entries.removeAll()
        count = 0
        ofBatch.beginBlock()
        ofWords.beginBlock()
        ofSources.beginBlock()
        return block
    }

    // MARK: Entries

    /// The numbers of names are another batch's from here on.
    mutating func beginBatch() { ofBatch.beginBlock() }

    /// `names` are of its batch. Returns the block before if that was full. Serial numbers ascend.
    mutating func add(_ line: LoggedEntry, of names: BatchNames) -> OwnedBlock? {
        let full = begin(Int64(clamping: line.number.serial))
        line.name.withText { append(text: $0) }
        append(number: Int64(line.life))
        append(number: Int64(line.number.seq))
        append(number: Int64(line.entry.version))
        append(number: line.wallNanoseconds / 1_000_000)
        append(index: ofWords.index(Int(line.entry.kind.rawValue), Self.words, in: &self.names))
        append(name: line.names.flow, of: names)
        append(index: ofSources.index(Int(line.entry.source.rawValue), Self.sources, in: &self.names))
        append(name: line.names.from, of: names)
        append(name: line.names.to, of: names)
        let texts = line.texts
        if let event = texts?.event {
            append(index: self.names.index(of: event))
        } else {
            append(name: line.names.event, of: names)
        }
        append(name: line.names.actor, of: names)
        append(name: line.names.timer, of: names)
        append(text: texts?.payload)
        append(name: line.names.definition, of: names)
        if let refusal = texts?.refusal {
            append(index: self.names.index(of: refusal.code))
            append(refusal.facts) { names[names.number(line.flow, .event, $0)]?.string }
        }
        finish()
        return full
    }

    /// The same of an entry that comes from another store, under another serial number.
    mutating func add(_ line: StoredEntry, as serial: Int64) -> OwnedBlock? {
        let full = begin(serial)
        line.name.withBytes { append(text: $0) }
        append(number: line.life)
        append(number: line.seq)
        append(number: Int64(line.version))
        append(number: line.at)
        let names = line.names
        for name in [line.kind.name, names.flow, names.source, names.from, names.to, names.event, names.actor, names.timer] {
            append(name: name)
        }
        append(string: line.payload)
        for name in [names.definition, names.code] { append(name: name) }
        append(string: line.facts?.json)
        finish()
        return full
    }

    /// Returns the open block if it was full.
    private mutating func begin(_ serial: Int64) -> OwnedBlock? {
        let full = isFull ? close() : nil
        if count == 0 { first = serial }
        (last, count) = (serial, count + 1)
        entries.reserve(32)
        entries.write(UInt8(ascii: count == 1 ? "[" : ","))
        entries.write(UInt8(ascii: "["))
        entries.append(digitsOf: serial)
        end = entries.count
        return full
    }

    private mutating func finish() {
        entries.cut(to: end)
        entries.append("]")
    }

    // MARK: Values

    private mutating func append(number: Int64) {
        entries.reserve(32)
        entries.write(UInt8(ascii: ","))
        entries.append(digitsOf: number)
        end = entries.count
    }

    private mutating func append(text: Text?) {
        guard let text else { return appendNull() }
        entries.append(",")
        entries.append(quoted: text)
        end = entries.count
    }

    private mutating func append(string: String?) {
        guard let string else { return appendNull() }
        withText(string) { append(text: $0) }
    }

    /// `name` gives an event's name by its index.
    private mutating func append(_ facts: EntryTexts.Facts, _ name: (UInt16) -> String?) {
        switch facts {
        case .json(let bytes): append(text: bytes)
        case .early(let facts): append(string: facts.json)
        case .accepted(let mask):
            let accepted = (0..<64).filter { mask >> UInt64($0) & 1 != 0 }
            append(string: RefusalFacts.notValid(accepted: accepted.compactMap { name(UInt16($0)) }).json)
        }
    }

    private mutating func append(index: Int?) { if let index { append(number: Int64(index)) } else { appendNull() } }

    private mutating func append(name: String?) {
        guard let name else { return appendNull() }
        append(index: withText(name) { names.index(of: $0) })
    }

    private mutating func append(name number: UInt16, of batch: BatchNames) {
        guard let text = batch[number] else { return appendNull() }
        append(number: Int64(ofBatch.index(Int(number)) { names.index(of: text) }))
    }

    private mutating func appendNull() { entries.append(",null") }
}

/// Indices by number, for as long as the open block is the same.
private struct IndexCache {
    /// The block's number in the upper bits.
    private var indices: [UInt64] = []
    private var block: UInt64 = 1

    mutating func beginBlock() { block += 1 }

    /// The index of the name of that number; `find` gives it the first time in a block.
    mutating func index(_ number: Int, _ find: () -> Int) -> Int {
        if number < indices.count, indices[number] >> 32 == block { return Int(indices[number] & 0xFFFF_FFFF) }
        let index = find()
        while indices.count <= number { indices.append(0) }
        indices[number] = block << 32 | UInt64(index)
        return index
    }

    /// The index of one of these texts, which is put into the list unless it is there.
    mutating func index(_ number: Int, _ texts: [[UInt8]], in names: inout NameList) -> Int? {
        guard number < texts.count else { return nil }
        return index(number) { texts[number].withUnsafeBytes { names.index(of: $0) } }
    }
}

// MARK: - Blocks

/// A block that owns its texts.
final class OwnedBlock {
    private let block: HistoryBlock
    private let (names, entries): (BatchBytes, BatchBytes)

    init(first: Int64, last: Int64, count: Int, names: BatchBytes, entries: BatchBytes) {
        (self.names, self.entries) = (names, entries)
        block = HistoryBlock(first: first, last: last, count: Int64(count), names: names.bytes, entries: entries.bytes)
    }

    var count: Int { Int(block.count) }

    func write(to writer: any TableWriter) throws(StoreError) {
        try writer.history(block)
        withExtendedLifetime(self) {}
    }
}

// MARK: - Texts by number, for a block of the history.

/// Texts in the order in which they came, each once.
struct NameList {
    private let bytes = BatchBytes()
    private var ends: [Int] = []
    /// Open addressing: indices, and one more.
    private var slots = [UInt32](repeating: 0, count: 64)

    private func text(at index: Int) -> Text {
        Text(rebasing: bytes.bytes[(index == 0 ? 0 : ends[index - 1])..<ends[index]])
    }

    mutating func removeAll() {
        bytes.removeAll()
        ends.removeAll(keepingCapacity: true)
        for slot in slots.indices { slots[slot] = 0 }
    }

    mutating func index(of name: Text) -> Int {
        var slot = Self.hash(name) & (slots.count - 1)
        while slots[slot] != 0 {
            let index = Int(slots[slot]) - 1
            if text(at: index).hasSameBytes(as: name) { return index }
            slot = (slot + 1) & (slots.count - 1)
        }
        bytes.reserve(name.count)
        bytes.write(name)
        ends.append(bytes.count)
        slots[slot] = UInt32(ends.count)
        if ends.count * 2 > slots.count { grow() }
        return ends.count - 1
    }

    private mutating func grow() {
        slots = [UInt32](repeating: 0, count: slots.count * 2)
        for index in ends.indices {
            var slot = Self.hash(text(at: index)) & (slots.count - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = UInt32(index + 1)
        }
    }

    private static func hash(_ text: Text) -> Int { Int(truncatingIfNeeded: FNV1a(text).value >> 32) }

    /// As a JSON array.
    var json: BatchBytes {
        let json = BatchBytes(capacity: bytes.count + 3 * ends.count + 2)
        json.reserve(1)
        json.write(UInt8(ascii: "["))
        for index in ends.indices {
            if index > 0 { json.append(",") }
            json.append(quoted: text(at: index))
        }
        json.append("]")
        return json
    }
}
