// Names by number: the declared ones first, and then whatever else is met.

/// Finds a name's number in a few nanoseconds where the name is the same literal each time, as a typed state's is.
struct NameList {
    private static let shortList = 16
    /// Machines keep a place in two bytes. A flow that makes up a name for every occasion does not fill the memory with them.
    static let mostNames = 1 << 16
    /// The last place, for all names that there is no room for.
    static let otherName = "(one of too many states)"

    private(set) var names: [String]
    private var places: [String: Int]
    /// The names as they go over a wire.
    let texts: TextTable

    init(_ names: [String]) {
        self.names = names
        places = Dictionary(names.enumerated().map { ($1, $0) }) { first, _ in first }
        texts = TextTable(names)
    }

    /// The name's number; one that is new gets the next.
    mutating func place(of name: String) -> UInt32 {
        for place in 0..<min(names.count, Self.shortList) where Self.areIdentical(names[place], name) {
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

    /// Whether two strings are the same bits: the same short text, or the same literal. Equal ones that are not are found by their
    /// hash, which takes ten times as long.
    private static func areIdentical(_ left: String, _ right: String) -> Bool {
        unsafeBitCast(left, to: (UInt64, UInt64).self) == unsafeBitCast(right, to: (UInt64, UInt64).self)
    }
}
