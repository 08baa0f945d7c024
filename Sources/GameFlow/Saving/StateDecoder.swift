// JSON back to states, by way of Codable.

import Timers

/// Reads a value out of JSON. A timer that is not there is started afresh; whatever else is missing is an error with a sentence.
struct StateDecoder: Decoder {
    /// Nil where a timer is wanted and nothing was saved of it.
    let json: JSON?
    let restoring: Restoring
    private let step: Step?

    /// Where in the whole the value stands, as a chain: nobody asks but who has an error to tell.
    private final class Step {
        let key: any CodingKey
        let before: Step?

        init(_ key: any CodingKey, before: Step?) {
            self.key = key
            self.before = before
        }
    }

    private init(json: JSON?, restoring: Restoring, step: Step?) {
        self.json = json
        self.restoring = restoring
        self.step = step
    }

    var codingPath: [any CodingKey] {
        var (path, step) = ([any CodingKey](), step)
        while let here = step {
            path.append(here.key)
            step = here.before
        }
        return path.reversed()
    }

    /// What the value is called in what it is a part of.
    var label: String { step?.key.stringValue ?? "" }

    var userInfo: [CodingUserInfoKey: Any] { [Restoring.key: restoring] }

    static func decode<Value: Decodable>(_ type: Value.Type, from json: JSON, _ restoring: Restoring) throws -> Value {
        try type.init(from: StateDecoder(json: json, restoring: restoring, step: nil))
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let members) = json else { throw error("an object was expected") }
        return KeyedDecodingContainer(Keyed(members: members, decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = json else { throw error("a list was expected") }
        return Unkeyed(elements: elements, decoder: self)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        Single(decoder: self)
    }

    private func error(_ problem: String) -> RestoringError {
        let path = codingPath.map(\.stringValue).joined(separator: ".")
        return RestoringError(path.isEmpty ? problem : "'\(path)': \(problem)")
    }

    fileprivate func below(_ key: some CodingKey, _ json: JSON?) -> StateDecoder {
        StateDecoder(json: json, restoring: restoring, step: Step(key, before: step))
    }

    fileprivate func read<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let value: Value? =
            switch type {
            case is Bool.Type: json?.boolean as? Value
            case is String.Type: json?.text as? Value
            case is Double.Type: json?.double as? Value
            case is Float.Type: json?.double.map(Float.init) as? Value
            case let type as any FixedWidthInteger.Type: json?.integer.flatMap { type.init(exactly: $0) } as? Value
            default: try type.init(from: self)
            }
        guard let value else { throw error("\(type) was expected, and not \(json?.description ?? "nothing")") }
        return value
    }

    private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let members: [JSON.Member]
        let decoder: StateDecoder
        var codingPath: [any CodingKey] { decoder.codingPath }
        var allKeys: [Key] { members.compactMap { Key(stringValue: $0.name) } }

        func contains(_ key: Key) -> Bool { value(key) != nil }

        func decodeNil(forKey key: Key) throws -> Bool { value(key) == nil || value(key) == .null }

        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            if type is StateTimer.Type { return try type.init(from: decoder.below(key, timer(key))) }
            guard let value = value(key) else { throw decoder.error("'\(key.stringValue)' is missing") }
            return try decoder.below(key, value).read(type)
        }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<Nested> {
            try decoder.below(key, value(key)).container(keyedBy: type)
        }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            try decoder.below(key, value(key)).unkeyedContainer()
        }

        func superDecoder() throws -> any Decoder { decoder }

        func superDecoder(forKey key: Key) throws -> any Decoder { decoder.below(key, value(key)) }

        private func value(_ key: Key) -> JSON? {
            members.last { $0.name == key.stringValue }?.value
        }

        /// A timer without a label is saved under its own name: it is the one object that says which timer it is.
        private func timer(_ key: Key) -> JSON? {
            if let value = value(key) { return value }
            guard key.stringValue.hasPrefix("_") else { return nil }
            return members.last { $0.value["timer"] != nil }?.value
        }
    }

    private struct Unkeyed: UnkeyedDecodingContainer {
        let elements: [JSON]
        let decoder: StateDecoder
        var currentIndex = 0
        var codingPath: [any CodingKey] { decoder.codingPath }
        var count: Int? { elements.count }
        var isAtEnd: Bool { currentIndex >= elements.count }

        init(elements: [JSON], decoder: StateDecoder) {
            self.elements = elements
            self.decoder = decoder
        }

        private mutating func next() throws -> StateDecoder {
            guard !isAtEnd else { throw decoder.error("there are only \(elements.count) elements") }
            currentIndex += 1
            return StateDecoder(json: elements[currentIndex - 1], restoring: decoder.restoring, step: decoder.step)
        }

        mutating func decodeNil() throws -> Bool {
            guard !isAtEnd, elements[currentIndex] == .null else { return false }
            currentIndex += 1
            return true
        }

        mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try next().read(type) }

        mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested> {
            try next().container(keyedBy: type)
        }

        mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try next().unkeyedContainer() }

        mutating func superDecoder() throws -> any Decoder { try next() }
    }

    private struct Single: SingleValueDecodingContainer {
        let decoder: StateDecoder
        var codingPath: [any CodingKey] { decoder.codingPath }

        func decodeNil() -> Bool { decoder.json == nil || decoder.json == .null }

        func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decoder.read(type) }
    }
}
