// The names of all states, taken from the coding keys that the compiler synthesizes for an enum, in the order of declaration.

extension FlowState {
    /// The names of all cases, in the order of declaration. A type that is not an enum must implement this.
    public static var allNames: [String] {
        guard EnumCases.names(of: Self.self) != nil else { return [] }
        let probe = KeyProbe()
        _ = try? Self(from: probe)
        let cases = EnumCases.names(of: Self.self) ?? []
        // Coding keys written by hand can be another list.
        guard let keys = probe.names, Set(keys) == Set(cases) else { return cases }
        return keys
    }
}

/// Learns a type's coding keys, by failing to decode it.
private final class KeyProbe: Decoder {
    private struct ProbeFinished: Error {}

    private(set) var names: [String]?
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        names = EnumCases.names(of: type)
        throw ProbeFinished()
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw ProbeFinished() }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw ProbeFinished() }
}
