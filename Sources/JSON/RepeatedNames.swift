// Names that occur twice in one object: JSON permits them, and parsers differ in which one they use.

extension JSON {
    /// The first name that occurs twice in one object of this value; nil without one. Names are compared by their bytes.
    package var repeatedName: String? {
        switch self {
        case .array(let elements): elements.firstRepeatedName
        case .object(let members): Self.repeatedName(in: members) ?? members.lazy.map(\.value).firstRepeatedName
        case .null, .bool, .integer, .number, .string: nil
        }
    }

    private static func repeatedName(in members: [Member]) -> String? {
        guard members.count > 1 else { return nil }
        var seen = Set<[UInt8]>(minimumCapacity: members.count)
        return members.first { !seen.insert(Array($0.name.utf8)).inserted }?.name
    }
}

extension Sequence<JSON> {
    fileprivate var firstRepeatedName: String? {
        for value in self { if let name = value.repeatedName { return name } }
        return nil
    }
}
