// Names by number: the declared ones first, then others in order of appearance.

/// Finds a name's number, in a few nanoseconds if the name is the same literal each time, as a typed state's is.
struct NameList {
    private static let shortList = 16
    /// Machines store an index in two bytes. The limit also keeps a flow that makes up names from filling the memory.
    static let mostNames = 1 << 16
    /// The last name, which stands for all names beyond the limit.
    static let otherName = "(one of too many states)"

    private(set) var names: [String]
    private var places: [String: Int]
    /// The names as bytes.
    let texts: TextTable

    init(_ names: [String]) {
        self.names = names
        places = Dictionary(names.enumerated().map { ($1, $0) }) { first, _ in first }
        texts = TextTable(names)
    }

    /// The name's number; a new name gets the next one.
    mutating func place(of name: String) -> UInt32 {
        // Equal texts that are not identical are found by hash, which takes ten times as long.
        for place in 0..<min(names.count, Self.shortList) where names[place].isIdentical(to: name) {
            return UInt32(truncatingIfNeeded: place)
        }
        if let place = places[name] { return UInt32(truncatingIfNeeded: place) }
        if names.count >= Self.mostNames { return UInt32(Self.mostNames - 1) }
        if names.count == Self.mostNames - 1 { return add(Self.otherName) }
        return add(name)
    }

    private mutating func add(_ name: String) -> UInt32 {
        names.append(name)
        places[name] = names.count - 1
        texts.append(name)
        return UInt32(truncatingIfNeeded: names.count - 1)
    }

}
