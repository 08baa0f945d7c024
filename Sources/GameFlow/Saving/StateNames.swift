// The names of all states, found in the list that the compiler writes for Codable: in the order of the source, where it is an enum.

extension FlowState {
    /// The names of all cases, in the order in which they are declared. A type that is no enum has to say them itself.
    public static var allNames: [String] {
        guard EnumCases.names(of: Self.self) != nil else { return [] }
        let probe = KeyProbe()
        _ = try? Self(from: probe)
        let cases = EnumCases.names(of: Self.self) ?? []
        // Keys of their own, written by hand, are another list.
        guard let keys = probe.names, Set(keys) == Set(cases) else { return cases }
        return keys
    }
}

/// Learns which keys a type wants to be read by, and gives nothing.
private final class KeyProbe: Decoder {
    private struct Enough: Error {}

    private(set) var names: [String]?
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        names = EnumCases.names(of: type)
        throw Enough()
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Enough() }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Enough() }
}
