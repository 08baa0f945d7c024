// Encodes states as JSON, through Codable. A coder of our own, since a missing timer must start afresh instead of being an error, and
// a timer without a label must appear under its own name.
//
// A number that JSON cannot hold is a text: a whole number above that of `Int`, such as the second half of a Duration, and "inf", "-inf" and "nan".

extension JSON {
    /// A value as JSON, as states are encoded.
    package init(encoding value: some Encodable) throws { self = try StateEncoder.encode(value, for: .showing) }
}

/// Encodes a value as JSON.
struct StateEncoder: Encoder {
    /// The purpose of the JSON.
    enum Purpose {
        /// To be restored exactly.
        case saving
        /// To be read by people and clients.
        case showing
    }

    /// Settings that are the same for all parts of one value.
    struct Circumstances {
        let purpose: Purpose
        /// The name of the event that a timer sends. A flow's kind has it at hand; the plan would take a microsecond to find it.
        let eventName: (TimerPlan) -> String?
    }

    /// The JSON written so far, shared by all containers of one value.
    fileprivate final class Node {
        let circumstances: Circumstances
        var value = JSON.null
        var members: [(name: String, node: Node)]?
        var elements: [Node]?
        /// Of a dictionary or a set, which have no order: how many elements belong together; nil for any other value.
        var groupSize: Int?

        init(_ circumstances: Circumstances) {
            self.circumstances = circumstances
        }

        var json: JSON {
            if let members { return .object(members.map { JSON.Member($0.name, $0.node.json) }.sorted(if: groupSize != nil)) }
            if let elements { return .array(elements.map(\.json).sorted(inGroupsOf: groupSize)) }
            return value
        }

        func member(_ name: String) -> Node {
            let node = Node(circumstances)
            members = members ?? []
            members?.append((name, node))
            return node
        }

        func element() -> Node {
            let node = Node(circumstances)
            elements = elements ?? []
            elements?.append(node)
            return node
        }
    }

    fileprivate let node: Node
    let codingPath: [any CodingKey]
    let userInfo: [CodingUserInfoKey: Any] = [:]

    var circumstances: Circumstances { node.circumstances }

    static func encode(
        _ value: some Encodable, for purpose: Purpose = .saving,
        naming eventName: @escaping (TimerPlan) -> String? = \.messageName
    ) throws -> JSON {
        let node = Node(Circumstances(purpose: purpose, eventName: eventName))
        try value.encode(to: StateEncoder(node: node, codingPath: []))
        return node.json
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        node.members = node.members ?? []
        if DictionaryKey.isType(of: type) { node.groupSize = 1 }
        return KeyedEncodingContainer(Keyed(node: node, codingPath: codingPath))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        node.elements = node.elements ?? []
        return Unkeyed(node: node, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    /// Writes a value into its node. Common types are recognized by the type alone, since a failing cast takes longer than everything else.
    fileprivate static func write<Value: Encodable>(_ value: Value, to node: Node, _ path: [any CodingKey]) throws {
        if let plain = plain(value) {
            node.value = plain
        } else if let timer = value as? StateTimer {
            node.value = timer.json(node.circumstances)
        } else if let number = value as? any BinaryInteger {
            node.value = Int(exactly: number).map { .integer($0) } ?? .string("\(number)")
        } else {
            try value.encode(to: StateEncoder(node: node, codingPath: path))
            // Of an optional set, the set itself has been marked.
            if node.elements?.count ?? 0 > 1, let type = Value.self as? any Unordered.Type { node.groupSize = type.groupSize }
        }
    }

    private static func plain<Value: Encodable>(_ value: Value) -> JSON? {
        if Value.self == Int.self, let value = value as? Int { return .integer(value) }
        if Value.self == String.self, let value = value as? String { return .string(value) }
        if Value.self == Bool.self, let value = value as? Bool { return .bool(value) }
        if Value.self == Double.self, let value = value as? Double { return number(value) }
        if Value.self == Float.self, let value = value as? Float { return number(Double(value)) }
        if Value.self == JSON.self, let value = value as? JSON { return value }
        return nil
    }

    private static func number(_ value: Double) -> JSON { value.isFinite ? .number(value) : .string("\(value)") }

    private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let node: Node
        let codingPath: [any CodingKey]

        func encodeNil(forKey key: Key) { node.member(key.stringValue).value = .null }

        func encode(_ value: some Encodable, forKey key: Key) throws {
            var name = key.stringValue
            // A value without a label has such a name, and so can a dictionary's.
            if name.hasPrefix("_"), !DictionaryKey.isType(of: Key.self), let timer = value as? StateTimer {
                name = timer.plan.name
            }
            try StateEncoder.write(value, to: node.member(name), codingPath + [key])
        }

        // Without these, Swift's own implementations refuse them.
        func encode(_ value: Int128, forKey key: Key) throws { try write(value, key) }
        func encode(_ value: UInt128, forKey key: Key) throws { try write(value, key) }

        private func write(_ number: some Encodable, _ key: Key) throws {
            try StateEncoder.write(number, to: node.member(key.stringValue), codingPath + [key])
        }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) -> KeyedEncodingContainer<Nested> {
            StateEncoder(node: node.member(key.stringValue), codingPath: codingPath + [key]).container(keyedBy: type)
        }

        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            StateEncoder(node: node.member(key.stringValue), codingPath: codingPath + [key]).unkeyedContainer()
        }

        func superEncoder() -> any Encoder { StateEncoder(node: node.member(SuperKey.name), codingPath: codingPath) }

        func superEncoder(forKey key: Key) -> any Encoder {
            StateEncoder(node: node.member(key.stringValue), codingPath: codingPath + [key])
        }
    }

    private struct Unkeyed: UnkeyedEncodingContainer {
        let node: Node
        let codingPath: [any CodingKey]
        var count: Int { node.elements?.count ?? 0 }

        func encodeNil() { node.element().value = .null }

        func encode(_ value: some Encodable) throws {
            try StateEncoder.write(value, to: node.element(), codingPath)
        }

        func encode(_ value: Int128) throws { try StateEncoder.write(value, to: node.element(), codingPath) }
        func encode(_ value: UInt128) throws { try StateEncoder.write(value, to: node.element(), codingPath) }

        func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
            StateEncoder(node: node.element(), codingPath: codingPath).container(keyedBy: type)
        }

        func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
            StateEncoder(node: node.element(), codingPath: codingPath).unkeyedContainer()
        }

        func superEncoder() -> any Encoder { StateEncoder(node: node.element(), codingPath: codingPath) }
    }
}

extension StateEncoder: SingleValueEncodingContainer {
    func encodeNil() { node.value = .null }

    func encode(_ value: some Encodable) throws { try Self.write(value, to: node, codingPath) }
    func encode(_ value: Int128) throws { try Self.write(value, to: node, codingPath) }
    func encode(_ value: UInt128) throws { try Self.write(value, to: node, codingPath) }
}

// MARK: - Dictionaries and sets: equal ones are saved in the same order

/// A collection that lists equal values in any order.
private protocol Unordered {
    /// How many elements of the list belong together.
    static var groupSize: Int { get }
}

extension Set: Unordered { fileprivate static var groupSize: Int { 1 } }
/// With keys that are not texts, the list has each key before its value.
extension Dictionary: Unordered { fileprivate static var groupSize: Int { 2 } }

/// The coding key of dictionaries, a type that Swift keeps to itself.
private enum DictionaryKey {
    private static let type: ObjectIdentifier? = {
        let probe = KeyProbe()
        _ = try? [String: Int](from: probe)
        return probe.type
    }()

    static func isType(of key: any CodingKey.Type) -> Bool { ObjectIdentifier(key) == type }
}

extension [JSON.Member] {
    fileprivate func sorted(if isUnordered: Bool) -> Self { isUnordered && count > 1 ? sorted { $0.name < $1.name } : self }
}

extension [JSON] {
    fileprivate func sorted(inGroupsOf size: Int?) -> Self {
        guard let size else { return self }
        let groups = stride(from: 0, to: count, by: size).map { (text: self[$0].description, values: self[$0..<$0 + size]) }
        return groups.sorted { ($0.text.utf8.count, $0.text) < ($1.text.utf8.count, $1.text) }.flatMap(\.values)
    }
}

extension JSON: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if encoder is StateEncoder { try container.encode(self) } else { try container.encode(description) }
    }
}

// MARK: - A state's data as people read it

extension JSON {
    /// The same with `"remaining":"29.5s"` in each timer, in place of `remaining_ns` or `remaining_ms`.
    package var withReadableTimers: JSON {
        replacing { member, object in member.readable.flatMap { object["timer"]?.text == nil ? nil : $0 } }
    }

    /// With `remaining_ms`, rounded up, in place of each `remaining_ns`, as timers are shown.
    package var inMilliseconds: JSON { replacing { member, _ in member.inMilliseconds } }

    /// The same with other members in its objects, at any depth. `change` returns a member's replacement, or nil for one that stays, whose value
    /// is searched.
    private func replacing(_ change: (_ member: Member, _ object: JSON) -> Member?) -> JSON {
        switch self {
        case .object(let members):
            .object(members.map { change($0, self) ?? Member($0.name, $0.value.replacing(change)) })
        case .array(let values): .array(values.map { $0.replacing(change) })
        case .null, .bool, .integer, .number, .string: self
        }
    }
}

extension JSON.Member {
    /// The member in readable form; nil if it is not a timer's remaining time.
    fileprivate var readable: JSON.Member? {
        let unit: Int64
        switch name {
        case "remaining_ns": unit = 1
        case "remaining_ms": unit = 1_000_000
        default: return nil
        }
        guard let count = value.integer else { return JSON.Member("remaining", value) }
        let (nanoseconds, isTooLong) = Int64(count).multipliedReportingOverflow(by: unit)
        return isTooLong ? nil : JSON.Member("remaining", .string(Duration.nanoseconds(nanoseconds).written))
    }

    /// The member in milliseconds; nil if it is not a timer's remaining time in nanoseconds.
    fileprivate var inMilliseconds: JSON.Member? {
        guard name == "remaining_ns", value == .null || value.integer != nil else { return nil }
        return JSON.Member("remaining_ms", value.integer.map { .integer(Duration.nanoseconds($0).milliseconds) } ?? .null)
    }
}

// MARK: - States without their timers, to compare them regardless of the time passed

extension JSON {
    /// The data without timers.
    package var withoutTimers: JSON {
        switch self {
        case .object(let members):
            .object(members.filter { !$0.value.isTimer }.map { Member($0.name, $0.value.withoutTimers) })
        case .array(let values): .array(values.map(\.withoutTimers))
        default: self
        }
    }

    /// Whether this is a timer in a state's data. An object of a flow may have a member `timer`, too, but others beside it.
    var isTimer: Bool {
        self["timer"]?.text != nil && members.allSatisfy { TimerImage.members.contains($0.name) }
    }
}
