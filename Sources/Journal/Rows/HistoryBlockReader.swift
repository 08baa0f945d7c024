// Reads blocks of the history: in one pass over their bytes where they are as they were written, or as JSON where they have been edited.

import GameFlow
import Memory
import Sessions
import Store

enum HistoryBlockReader {
    /// The block's entries, in order.
    static func lines(of block: HistoryBlock) throws(StoreError) -> [StoredEntry] {
        guard let names = names(block), var lines = lines(block.entries, names) ?? edited(block.entries, names) else {
            throw StoreError(
                .damaged,
                "the history from number \(block.first) to \(block.last) is not a JSON array of entries: correct or delete the row "
                    + "\(block.first) of history_blocks")
        }
        if !block.repeats.isEmpty { add(block.repeats, to: &lines) }
        return lines
    }

    /// Both are in the order of serial numbers.
    private static func add(_ repeats: [RepeatRow], to lines: inout [StoredEntry]) {
        var next = 0
        for index in lines.indices {
            while next < repeats.count, repeats[next].serial < lines[index].serial { next += 1 }
            guard next < repeats.count else { return }
            if repeats[next].serial == lines[index].serial { lines[index].repeats = repeats[next] }
        }
    }

    private static func names(_ block: HistoryBlock) -> [String]? {
        guard case .array(let names)? = try? JSON(parsing: block.names.string) else { return nil }
        return names.map { $0.text ?? "" }
    }

    /// Nil if they have another form than `OpenBlock` writes.
    private static func lines(_ entries: Text, _ names: [String]) -> [StoredEntry]? {
        let words = names.map { name in HistoryEntry.Kind.allCases.first { $0.name == name } }
        var (reader, lines) = (EntryReader(ByteCursor(entries), names, words), [StoredEntry]())
        guard reader.cursor.consume("[") else { return nil }
        while !reader.cursor.consume("]") {
            guard lines.isEmpty || reader.cursor.consume(","), reader.cursor.consume("[") else { return nil }
            guard let line = reader.line() else { return nil }
            lines.append(line)
        }
        return reader.cursor.isAtEnd ? lines : nil
    }

    /// Reads JSON in which an edit has left spaces. Nil if it is not JSON, or not entries.
    private static func edited(_ entries: Text, _ names: [String]) -> [StoredEntry]? {
        guard let json = try? JSON(parsing: entries.string) else { return nil }
        return withText(json.description) { lines($0, names) }
    }
}

/// Reads the values of a block's entries.
private struct EntryReader {
    /// Indices of an entry's names in the block's list; -1 is null.
    private struct Indices: Equatable {
        var flow, source, from, to, event, actor, timer, definition, code: Int
    }

    /// Combinations of names to compare; the oldest is dropped.
    private static let maxCompared = 8

    var cursor: ByteCursor
    private let names: [String]
    private let words: [HistoryEntry.Kind?]
    /// Whether a value was missing, or of the wrong type.
    private var isBroken = false
    private var isAtStart = true
    /// The latest combinations of names.
    private var latest: [(indices: Indices, names: EntryNames)] = []

    init(_ cursor: ByteCursor, _ names: [String], _ words: [HistoryEntry.Kind?]) {
        (self.cursor, self.names, self.words) = (cursor, names, words)
    }

    /// Nil if the entry is malformed.
    mutating func line() -> StoredEntry? {
        (isAtStart, isBroken) = (true, false)
        let serial = number() ?? missing(0)
        let name = name() ?? missing(ByteString(""))
        let (life, seq, version) = (number() ?? missing(0), number() ?? missing(0), number() ?? missing(0))
        let at = number() ?? missing(0)
        guard let first: InlineArray<8, Int> = cursor.indices(below: names.count) else { return nil }
        let payload = text()
        guard let last: InlineArray<2, Int> = cursor.indices(below: names.count) else { return nil }
        let facts = text()
        guard cursor.consume("]"), !isBroken else { return nil }
        let what = first[0]
        let indices = Indices(
            flow: first[1], source: first[2], from: first[3], to: first[4], event: first[5], actor: first[6], timer: first[7],
            definition: last[0], code: last[1])
        return StoredEntry(
            serial: UInt64(max(0, serial)), name: name, life: life, seq: seq, version: UInt32(truncatingIfNeeded: version),
            at: at, kind: (what < 0 ? nil : words[what]) ?? (facts == nil ? .taken : .refused), names: entryNames(indices),
            payload: payload, facts: facts.map(RefusalFacts.init(json:)))
    }

    private mutating func entryNames(_ indices: Indices) -> EntryNames {
        for known in latest where known.indices == indices { return known.names }
        func name(_ index: Int) -> String? { index < 0 ? nil : names[index] }
        let made = EntryNames(
            flow: name(indices.flow) ?? "", source: name(indices.source) ?? "", from: name(indices.from) ?? "",
            to: name(indices.to) ?? "", event: name(indices.event), timer: name(indices.timer),
            definition: name(indices.definition), actor: name(indices.actor), code: name(indices.code))
        if latest.count == Self.maxCompared { latest.removeFirst() }
        latest.append((indices, made))
        return made
    }

    private mutating func missing<Value>(_ value: Value) -> Value {
        isBroken = true
        return value
    }

    // MARK: Values

    /// False at the end of the array, and at a null.
    private mutating func hasValue() -> Bool {
        if isAtStart {
            isAtStart = false
        } else {
            guard cursor.consume(byte: UInt8(ascii: ",")) else { return false }
        }
        return !cursor.consume("null")
    }

    private mutating func number() -> Int64? {
        guard hasValue() else { return nil }
        return cursor.number() ?? missing(nil)
    }

    private mutating func text() -> String? {
        guard hasValue() else { return nil }
        return cursor.string() ?? missing(nil)
    }

    /// A session's name need not be UTF-8.
    private mutating func name() -> ByteString? {
        guard hasValue() else { return nil }
        return cursor.plainBytes().map { ByteString($0) } ?? cursor.escapedBytes().map { $0.withUnsafeBytes { ByteString($0) } }
    }
}
