// The members of an object of the file, by known keys.

import JSON

/// The members with known keys, in the order of the file.
struct Fields<Key: NotationKeys> {
    let list: [(key: Key, member: LocatedJSON.Member)]
    /// Where the object begins.
    let offset: Int
    /// Whether it has unknown keys, which were reported.
    var hasUnknownKeys = false

    subscript(key: Key) -> LocatedJSON.Member? { list.first { $0.key == key }?.member }
    func value(_ key: Key) -> LocatedJSON? { self[key]?.value }
    func has(_ key: Key) -> Bool { list.contains { $0.key == key } }
}

extension Problems {
    /// The object's members. Reports a value that is not an object, and unknown keys.
    func fields<Key: NotationKeys>(
        _ value: LocatedJSON, _ keys: Key.Type, _ what: String = Key.object, others: [String] = [], without: Set<Key> = []
    ) -> Fields<Key> {
        let members = members(value, what)
        let list = members.compactMap { member in Key(rawValue: member.name).map { (key: $0, member: member) } }
        if list.count < members.count {
            for member in members where Key(rawValue: member.name) == nil {
                let advice = Key.advice(for: member.name, others: others, without: without)
                error(member.offset, "\(what) has no key \(member.name.quoted); \(advice)")
            }
        }
        return Fields(list: list, offset: value.offset, hasUnknownKeys: list.count < members.count)
    }

    /// Reports that a key is missing, unless an unknown one was probably meant.
    func missing<Key>(from fields: Fields<Key>, _ sentence: @autoclosure () -> String) {
        if !fields.hasUnknownKeys { error(fields.offset, sentence()) }
    }

    func members(_ value: LocatedJSON, _ what: String) -> [LocatedJSON.Member] {
        expected(value.members, value, "\(what) is an object, { … }") ?? []
    }

    func text(_ value: LocatedJSON, _ what: String) -> String? { expected(value.text, value, "\(what) is a text") }

    /// Reads a name; reports what `complaint` returns.
    func name(_ value: LocatedJSON, _ what: String, _ complaint: (String) -> String?) -> String? {
        guard let name = text(value, what) else { return nil }
        if let complaint = complaint(name) { error(value.offset, complaint) }
        return name
    }

    func boolean(_ value: LocatedJSON, _ what: String) -> Bool? {
        expected(value.json.boolean, value, "\(what) is true or false")
    }

    /// A number that is written without a point: 1.0 is not accepted.
    func integer(_ value: LocatedJSON, _ what: String) -> Int? {
        let integer: Int? = if case .integer(let integer) = value.content { integer } else { nil }
        return expected(integer, value, "\(what) is a whole number")
    }

    func number(_ value: LocatedJSON, _ what: String) -> Double? {
        expected(value.json.double, value, "\(what) is a number")
    }

    private func expected<Value>(_ found: Value?, _ value: LocatedJSON, _ sentence: @autoclosure () -> String) -> Value? {
        if found == nil { wrong(value, sentence()) }
        return found
    }

    /// A text, or several in an array.
    func texts(_ value: LocatedJSON, _ what: String) -> [LocatedJSON] {
        switch value.content {
        case .text: return [value]
        case .array(let values): return values.filter { text($0, what) != nil }
        case .null, .bool, .integer, .number, .object, .unreadable:
            wrong(value, "\(what) is a text, or an array of texts")
            return []
        }
    }

    /// The same of names, of which there is one at least.
    func names(_ value: LocatedJSON, of thing: String = "state", _ what: String) -> [LocatedJSON] {
        let names = texts(value, what)
        if case .array(let values) = value.content, values.isEmpty {
            error(value.offset, "\(what) names one \(thing) at least, and this list is empty")
        }
        return names
    }

    /// A value of the wrong type. Nothing is said of one that the reader of JSON has complained about.
    func wrong(_ value: LocatedJSON, _ sentence: @autoclosure () -> String) {
        guard !value.isUnreadable else { return }
        error(value.offset, "\(sentence()), and not \(value.typeInWords)")
    }
}

extension LocatedJSON {
    /// An array's elements, and any other value alone.
    var oneOrSeveral: [LocatedJSON] {
        if case .array(let values) = content { values } else { [self] }
    }

    var typeInWords: String { isUnreadable ? "this" : json.typeInWords }
}
