// Names by number: the declared ones first, then others in order of appearance.

/// Finds a name's number, in a few nanoseconds if the name is the same literal each time, as a typed state's is.
struct NameList {
    private static let shortList = 16
    /// Machines store an index in two bytes. The limit also keeps a flow that makes up names from filling the memory.
    static let maxNames = Int(unnumbered)
    /// Bytes of the names that are not declared, for the same reason.
    static let maxBytes = 16 << 20
    /// The index of all names beyond the limits, which are not kept: each session knows its own.
    static let unnumbered = UInt32(UInt16.max)
    /// Stands for such a name where no session can be asked for it.
    static let otherName = "(one of too many states)"

    private(set) var names: [String]
    private var places: [String: Int]
    /// The names as bytes.
    let texts: TextTable
    /// The bytes of those that were added.
    private var addedBytes = 0

    init(_ names: [String]) {
        self.names = names
        places = Dictionary(names.enumerated().map { ($1, $0) }) { first, _ in first }
        texts = TextTable(names)
    }

    /// Names that are only read, by their index.
    init(record names: [String]) {
        self.names = names
        places = [:]
        texts = TextTable()
    }

    subscript(place: UInt32) -> String { place < names.count ? names[Int(place)] : Self.otherName }

    /// The name's number; a new name gets the next one, or `unnumbered` beyond the limits.
    mutating func place(of name: String) -> UInt32 {
        // Equal texts that are not identical are found by hash, which takes ten times as long.
        for place in 0..<min(names.count, Self.shortList) where names[place].isIdentical(to: name) {
            return UInt32(truncatingIfNeeded: place)
        }
        if let place = places[name] { return UInt32(truncatingIfNeeded: place) }
        guard names.count < Self.maxNames, addedBytes + name.utf8.count <= Self.maxBytes else { return Self.unnumbered }
        addedBytes += name.utf8.count
        return add(name)
    }

    private mutating func add(_ name: String) -> UInt32 {
        names.append(name)
        places[name] = names.count - 1
        texts.append(name)
        return UInt32(truncatingIfNeeded: names.count - 1)
    }
}
