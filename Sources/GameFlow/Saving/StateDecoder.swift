// Decodes states from JSON, through Codable.

import Texts

/// Decodes a value from JSON. A missing timer starts afresh; anything else that is missing is an error with a sentence.
///
/// A class that its containers refer to, so that the existential that Codable passes around is one reference, and unspecialized generic
/// code does little but call into it. A state's decoder is used again for the next session in that state, with its containers: making
/// one takes longer than reading a timer from it.
final class StateDecoder: Decoder {
    /// Nil where a timer is decoded that was not saved.
    private var json: JSON?
    let restoring: RestorationContext
    /// The value's key in its parent. The path is made from the chain of parents, only for errors.
    private let key: (any CodingKey)?
    private let whole: StateDecoder?
    /// Whether it is used again for the next value.
    private let isKept: Bool
    private var prepared: PreparedContainer?
    /// The decoder of a nested container, such as the values of a state below its name.
    private var inner: (name: String, decoder: StateDecoder)?
    /// The members that are asked for; nil unless others are an error.
    private var asked: AskedMembers?
    /// The values of a large object by name, from the first time that one of them is read.
    private var large: [String: JSON]?

    private init(
        _ json: JSON?, _ restoring: RestorationContext, key: (any CodingKey)?, in whole: StateDecoder?, isKept: Bool = false
    ) {
        self.json = json
        self.restoring = restoring
        self.key = key
        self.whole = whole
        self.isKept = isKept
    }

    /// For whole values, one after the other. If it is kept, its owner must call `forget` in the end.
    convenience init(_ restoring: RestorationContext, isKept: Bool) {
        self.init(nil, restoring, key: nil, in: nil, isKept: isKept)
    }

    /// Breaks the cycle between the decoder and the containers kept for the next value.
    func forget() {
        inner?.decoder.forget()
        (inner, prepared) = (nil, nil)
    }

    var codingPath: [any CodingKey] {
        var (path, step): ([any CodingKey], StateDecoder?) = ([], self)
        while let here = step {
            if let key = here.key { path.append(key) }
            step = here.whole
        }
        return path.reversed()
    }

    /// The value's name in its parent.
    var label: String { key?.stringValue ?? "" }

    /// The value as it is, for a type that reads all of it.
    func readAll() -> JSON? {
        asked?.addAll()
        return json
    }

    var userInfo: [CodingUserInfoKey: Any] { [RestorationContext.key: restoring] }

    /// Decodes a value. Afterwards the decoder is empty, in case the value has kept it.
    func decode<Value: Decodable>(_ type: Value.Type, from json: JSON) throws -> Value {
        self.json = json
        if restoring.refusesUnknown { asked = AskedMembers(of: members, at: path) }
        defer { clear() }
        let value = try type.init(from: self)
        try asked?.check()
        return value
    }

    private func clear() {
        (json, asked, large) = (nil, nil, nil)
        inner?.decoder.clear()
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object = json else { throw error("an object was expected") }
        if let prepared = prepared(for: type) { return prepared.container(for: type) }
        return prepare(for: type)
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = json else { throw error("a list was expected") }
        return Unkeyed(elements: elements, decoder: self)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    private var path: String { codingPath.map(\.stringValue).joined(separator: ".") }

    private func error(_ problem: String) -> RestorationError { RestorationError(problem, at: path) }

    // MARK: Reused for the next session

    private func prepared(for type: (some CodingKey).Type) -> PreparedContainer? {
        guard let prepared, prepared.keyType == ObjectIdentifier(type) else { return nil }
        return prepared
    }

    // Not inlined, so that its type metadata is only looked up where something must be prepared.
    private func prepare<Key: CodingKey>(for type: Key.Type) -> KeyedDecodingContainer<Key> {
        let container = KeyedDecodingContainer(Keyed<Key>(decoder: self))
        if isKept { prepared = PreparedContainer(container) }
        return container
    }

    private func keys<Key: CodingKey>(_ type: Key.Type) -> [Key] {
        // A state is an object with one member: its name.
        let prepared = members.count == 1 ? prepared(for: type) : nil
        if let prepared, prepared.name == members[0].name { return prepared.keys(of: type) }
        let keys = members.compactMap { Key(stringValue: $0.name) }
        prepared?.keep(keys, named: members[0].name)
        return keys
    }

    /// The decoder of a nested object. The first is kept, as it is the same for each session in a state.
    private func inner(_ key: some CodingKey) -> StateDecoder {
        let name = key.stringValue
        let value = value(name)
        if let inner, inner.name == name {
            inner.decoder.json = value
            askInside(name, inner.decoder)
            return inner.decoder
        }
        let isFirst = isKept && inner == nil
        let made = StateDecoder(value, restoring, key: key, in: self, isKept: isFirst)
        askInside(name, made)
        if isFirst { inner = (name, made) }
        return made
    }

    /// The decoder is one of the value of this name.
    private func askInside(_ name: String, _ decoder: StateDecoder) {
        guard let asked else { return }
        decoder.asked = asked.inside(name, decoder.members, at: decoder.path)
    }

    // MARK: Members

    private var members: [JSON.Member] {
        if case .object(let members) = json { members } else { [] }
    }

    private func value(_ name: String) -> JSON? {
        asked?.add(name)
        let members = members
        guard members.count <= Self.maxSearched else { return byName(members)[name] }
        var found: JSON?
        for member in members where member.name == name { found = member.value }
        return found
    }

    /// A dictionary with more members than this is not searched for each of them.
    private static let maxSearched = 32

    private func byName(_ members: [JSON.Member]) -> [String: JSON] {
        if let large { return large }
        let values = Dictionary(members.lazy.map { ($0.name, $0.value) }) { $1 }
        large = values
        return values
    }

    /// A timer without a label is saved under its own name: it is the only object that names its timer, or else the one named like the
    /// state.
    private func timer(_ name: String) -> JSON? {
        if let value = value(name) { return value }
        guard name.utf8.first == UInt8(ascii: "_") else { return nil }
        guard let timer = members.last(where: { $0.value["timer"] != nil }) else { return value(restoring.stateName) }
        asked?.add(timer.name)
        return timer.value
    }

    private func below(_ key: some CodingKey, _ json: JSON?) -> StateDecoder {
        let decoder = StateDecoder(json, restoring, key: key, in: self)
        askInside(key.stringValue, decoder)
        return decoder
    }

    /// The decoder of an element of the list that is decoded here.
    private func element(_ index: Int, _ json: JSON) -> StateDecoder {
        let decoder = StateDecoder(json, restoring, key: key, in: whole)
        if asked != nil { askInside(String(index), decoder) }
        return decoder
    }

    // MARK: Values

    private func read<Value: Decodable>(_ type: Value.Type) throws -> Value {
        // Comparing types is comparing two addresses; a dynamic cast takes far longer.
        if type == Bool.self { return try expected(json?.boolean, type) }
        if type == String.self { return try expected(json?.text, type) }
        if type == Int.self { return try expected(json?.integer, type) }
        if type == Double.self { return try expected(double, type) }
        if type == Float.self { return try expected(double.map { Float($0) }, type) }
        guard let whole = type as? any FixedWidthInteger.Type else { return try type.init(from: self) }
        return try expected(number(whole), type)
    }

    /// The number, or the text of one that JSON cannot hold.
    private var double: Double? { json?.double ?? json?.text.flatMap { Double($0) }.flatMap { $0.isFinite ? nil : $0 } }

    private func number<Number: FixedWidthInteger>(_ type: Number.Type) -> Number? {
        if let json, let text = json.text { return Int(text) == nil ? Number(text) : nil }
        return json?.integer.flatMap { Number(exactly: $0) }
    }

    private func expected<Value>(_ value: Any?, _ type: Value.Type) throws -> Value {
        guard let value = value as? Value else {
            throw error("\(type) was expected, and not \(json?.description.shortened ?? "nothing")")
        }
        return value
    }

    private func read<Value: Decodable>(_ type: Value.Type, _ key: some CodingKey) throws -> Value {
        let name = key.stringValue
        if type == Countdown.self {
            return proven(try Countdown(timer(name), label: name, restoring), same: type)
        }
        if type == Pendulum.self {
            return proven(try Pendulum(timer(name), label: name, restoring), same: type)
        }
        guard let value = value(name) ?? restoring.standards[name] else { throw error("'\(name)' is missing") }
        return try below(key, value).read(type)
    }

    // MARK: Containers

    private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let decoder: StateDecoder
        var codingPath: [any CodingKey] { decoder.codingPath }

        var allKeys: [Key] { decoder.keys(Key.self) }

        func contains(_ key: Key) -> Bool { decoder.value(key.stringValue) != nil }

        func decodeNil(forKey key: Key) throws -> Bool {
            let value = decoder.value(key.stringValue)
            return value == nil || value == .null
        }

        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            try decoder.read(type, key)
        }

        // Without these, Swift's own implementations refuse them.
        func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try decoder.read(type, key) }
        func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try decoder.read(type, key) }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<Nested> {
            try decoder.inner(key).container(keyedBy: type)
        }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            try decoder.below(key, decoder.value(key.stringValue)).unkeyedContainer()
        }

        func superDecoder() throws -> any Decoder { decoder.below(SuperKey(), decoder.value(SuperKey.name)) }

        func superDecoder(forKey key: Key) throws -> any Decoder { decoder.below(key, decoder.value(key.stringValue)) }
    }

    private struct Unkeyed: UnkeyedDecodingContainer {
        let elements: [JSON]
        let decoder: StateDecoder
        var currentIndex = 0
        var codingPath: [any CodingKey] { decoder.codingPath }
        var count: Int? { elements.count }
        var isAtEnd: Bool { currentIndex >= elements.count }

        private mutating func next() throws -> StateDecoder {
            guard !isAtEnd else { throw decoder.error("there are only \(elements.count) elements") }
            currentIndex += 1
            return decoder.element(currentIndex - 1, elements[currentIndex - 1])
        }

        mutating func decodeNil() throws -> Bool {
            guard !isAtEnd, elements[currentIndex] == .null else { return false }
            currentIndex += 1
            return true
        }

        mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try next().read(type) }
        mutating func decode(_ type: Int128.Type) throws -> Int128 { try next().read(type) }
        mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try next().read(type) }

        mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested> {
            try next().container(keyedBy: type)
        }

        mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try next().unkeyedContainer() }

        mutating func superDecoder() throws -> any Decoder { try next() }
    }
}

extension StateDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { json == nil || json == .null }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try read(type) }
    func decode(_ type: Int128.Type) throws -> Int128 { try read(type) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try read(type) }
}

/// Where a class keeps the values of the class that it inherits from.
struct SuperKey: CodingKey {
    static let name = "super"
    var stringValue: String { Self.name }
    var intValue: Int? { nil }

    init() {}
    init?(stringValue: String) { if stringValue != Self.name { return nil } }
    init?(intValue: Int) { nil }
}
