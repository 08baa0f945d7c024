// A block of history that is being written, as JSON.

import GameFlow
import Sessions
import Store

/// Not copied, which each look at it would do otherwise.
struct OpenBlock: ~Copyable {
    /// Of a block.
    private static let (mostEntries, mostBytes) = (256, 48 << 10)
    private static let words = HistoryEntry.Kind.allCases.map { Array($0.name.utf8) }
    private static let sources = EventSource.allCases.map { Array($0.name.utf8) }

    private var names = NameList()
    private let entries = BatchBytes(capacity: 64 << 10)
    private var (first, last, count): (Int64, Int64, Int) = (0, 0, 0)
    /// After the last value of the open entry that is not null.
    private var end = 0
    /// Where names of the open block are in its list: of the batch that is read, by number; of words and of sources.
    private var (ofBatch, ofWords, ofSources) = (KnownPlaces(), KnownPlaces(), KnownPlaces())

    var isFull: Bool { count == Self.mostEntries || entries.count >= Self.mostBytes }

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

    /// `names` are of its batch.
    mutating func add(_ line: LoggedEntry, of names: BatchNames) {
        begin(Int64(clamping: line.number.serial))
        line.name.withText { put(text: $0) }
        put(number: Int64(line.life))
        put(number: Int64(line.number.seq))
        put(number: Int64(line.entry.version))
        put(number: line.wallNanoseconds / 1_000_000)
        put(place: ofWords.place(Int(line.entry.kind.rawValue), Self.words, in: &self.names))
        put(name: line.names.flow, of: names)
        put(place: ofSources.place(Int(line.entry.source.rawValue), Self.sources, in: &self.names))
        put(name: line.names.from, of: names)
        put(name: line.names.to, of: names)
        let texts = line.texts
        if let event = texts?.event { put(place: self.names.place(of: event)) } else { put(name: line.names.event, of: names) }
        put(name: line.names.actor, of: names)
        put(name: line.names.timer, of: names)
        put(text: texts?.payload)
        put(name: line.names.definition, of: names)
        if let refusal = texts?.refusal {
            put(place: self.names.place(of: refusal.code))
            put(string: refusal.facts { names[names.number(line.flow, .event, $0)] }.json)
        }
        finish()
    }

    /// The same of an entry that comes from another store, under another serial number.
    mutating func add(_ line: StoredEntry, as serial: Int64) {
        begin(serial)
        line.name.withBytes { put(text: $0) }
        put(number: line.life)
        put(number: line.seq)
        put(number: Int64(line.version))
        put(number: line.at)
        for name in [line.kind.name, line.flow, line.source, line.from, line.to, line.event, line.actor, line.timer] {
            put(name: name)
        }
        put(string: line.payload)
        for name in [line.definition, line.code] { put(name: name) }
        put(string: line.facts?.json)
        finish()
    }

    private mutating func begin(_ serial: Int64) {
        if count == 0 { first = serial }
        (last, count) = (serial, count + 1)
        entries.reserve(32)
        entries.put(UInt8(ascii: count == 1 ? "[" : ","))
        entries.put(UInt8(ascii: "["))
        entries.put(digitsOf: serial)
        end = entries.count
    }

    private mutating func finish() {
        entries.cut(to: end)
        entries.append("]")
    }

    // MARK: Values

    private mutating func put(number: Int64) {
        entries.reserve(32)
        entries.put(UInt8(ascii: ","))
        entries.put(digitsOf: number)
        end = entries.count
    }

    private mutating func put(text: Text?) {
        guard let text else { return putNull() }
        entries.append(",")
        entries.append(quoted: text)
        end = entries.count
    }

    private mutating func put(string: String?) {
        guard let string else { return putNull() }
        withText(string) { put(text: $0) }
    }

    private mutating func put(place: Int?) { if let place { put(number: Int64(place)) } else { putNull() } }

    private mutating func put(name: String?) {
        guard let name else { return putNull() }
        put(place: withText(name) { names.place(of: $0) })
    }

    private mutating func put(name number: UInt16, of batch: BatchNames) {
        guard let text = batch[number] else { return putNull() }
        put(number: Int64(ofBatch.place(Int(number)) { names.place(of: text) }))
    }

    private mutating func putNull() { entries.append(",null") }
}

/// Places by number, for as long as the open block is the same.
private struct KnownPlaces {
    /// The block's number in the upper bits.
    private var places: [UInt64] = []
    private var block: UInt64 = 1

    mutating func beginBlock() { block += 1 }

    /// The place of the name of that number; `find` gives it the first time in a block.
    mutating func place(_ number: Int, _ find: () -> Int) -> Int {
        if number < places.count, places[number] >> 32 == block { return Int(places[number] & 0xFFFF_FFFF) }
        let place = find()
        while places.count <= number { places.append(0) }
        places[number] = block << 32 | UInt64(place)
        return place
    }

    /// The place of one of these texts, which is put into the list unless it is there.
    mutating func place(_ number: Int, _ texts: [[UInt8]], in names: inout NameList) -> Int? {
        guard number < texts.count else { return nil }
        return place(number) { texts[number].withUnsafeBytes { names.place(of: $0) } }
    }
}

extension EntryTexts.Refusal {
    /// `name` gives an event's name by its index.
    fileprivate func facts(_ name: (UInt16) -> Text?) -> RefusalFacts {
        switch reason {
        case .sentence: .sentence(sentence.string)
        case .unknownEvent: .unknownEvent
        case .notAllowed: .notAllowed
        case .accepted:
            .accepted((0..<64).filter { accepted >> UInt64($0) & 1 != 0 }.compactMap { name(UInt16($0))?.string })
        }
    }
}
