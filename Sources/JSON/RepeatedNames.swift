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
        var seen = Set<NameBytes>(minimumCapacity: members.count)
        return members.first { !seen.insert(NameBytes(name: $0.name)).inserted }?.name
    }
}

extension Sequence<JSON> {
    fileprivate var firstRepeatedName: String? {
        for value in self { if let name = value.repeatedName { return name } }
        return nil
    }
}

/// A name without Unicode equivalence.
private struct NameBytes: Hashable {
    let name: String

    static func == (left: NameBytes, right: NameBytes) -> Bool { left.name.utf8.elementsEqual(right.name.utf8) }

    func hash(into hasher: inout Hasher) {
        var name = name
        name.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
