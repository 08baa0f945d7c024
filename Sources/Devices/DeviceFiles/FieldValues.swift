// Converts and checks the values of fields in a device file.

import Bluetooth
import GameFlow
import RESP
import Texts

enum FieldValue {
    static func text(_ json: JSON) throws(FieldProblem) -> String {
        guard let text = json.text, !text.isEmpty else { throw FieldProblem("\(json.shown) should be a string") }
        return text
    }

    /// A name, as shown to people and used in commands.
    static func name(_ json: JSON) throws(FieldProblem) -> String {
        let name = try text(json)
        guard name.utf8.count <= 64 else { throw FieldProblem("'\(name.shortened)' is too long; a name has 64 bytes at most") }
        return name
    }

    static func boolean(_ json: JSON) throws(FieldProblem) -> Bool {
        guard let value = json.boolean else { throw FieldProblem("\(json.shown) should be true or false") }
        return value
    }

    static func list(_ json: JSON) throws(FieldProblem) -> [JSON] {
        guard case .array(let values) = json else { throw FieldProblem("this should be a list") }
        return values
    }

    static func duration(_ json: JSON) throws(FieldProblem) -> Duration {
        guard let duration = Duration(text: json.text ?? json.description), duration >= .zero else {
            throw FieldProblem("\(json.shown) is no duration; it is like \"10s\" or \"1m30s\"")
        }
        return duration
    }

    static func address(_ json: JSON) throws(FieldProblem) -> BluetoothAddress {
        let text = try text(json)
        return try parsed { () throws(BluetoothError) in try BluetoothAddress(parsing: text) }
    }

    static func attribute(_ json: JSON) throws(FieldProblem) -> AttributeHandle {
        let text = json.text ?? json.description
        return try parsed { () throws(BluetoothError) in try AttributeHandle(parsing: text) }
    }

    static func service(_ json: JSON) throws(FieldProblem) -> AdvertisedPart {
        let text = try text(json)
        return .service(try parsed { () throws(BluetoothError) in try ServiceUUID(parsing: text) })
    }

    static func company(_ json: JSON) throws(FieldProblem) -> AdvertisedPart {
        let number =
            if let text = json.text, text.lowercased().hasPrefix("0x") {
                UInt16(hexadecimal: text.dropFirst(2))
            } else {
                json.integer.flatMap { UInt16(exactly: $0) }
            }
        guard let company = number else {
            throw FieldProblem("\(json.shown) is not a company's number; write it like \"0x004C\"")
        }
        return .company(company)
    }

    static func bytes(_ json: JSON) throws(FieldProblem) -> [UInt8] {
        guard let text = json.text, let bytes = [UInt8](hexadecimal: text), bytes.count <= AttributeValue.maxLength else {
            throw FieldProblem(
                "\(json.shown) is no value; it is pairs of hexadecimal digits, like \"01 FF\", \(AttributeValue.maxLength) at most"
            )
        }
        return bytes
    }

    static func values(_ json: JSON) throws(FieldProblem) -> [NamedValue] {
        guard case .object(let members) = json else {
            throw FieldProblem("this should be an object that gives values names, like {\"pressed\": \"01\"}")
        }
        var values: [NamedValue] = []
        for member in members {
            guard !values.contains(where: { $0.name == member.name }) else {
                throw FieldProblem("'\(member.name.shortened)' is given twice")
            }
            values.append(NamedValue(name: member.name, bytes: try bytes(member.value)))
        }
        return values
    }

    /// A pattern, or the name of one of the device's values.
    static func pattern(_ json: JSON, _ values: [NamedValue]) throws(FieldProblem) -> ValuePattern {
        let text = try text(json)
        if let named = values.first(where: { $0.name == text }) { return ValuePattern(named.bytes) }
        guard let pattern = ValuePattern(parsing: text) else {
            let names = values.map(\.name).joined(separator: ", ")
            let hint = names.isEmpty ? "" : ", or one of the device's values: \(names)"
            throw FieldProblem(
                "\(json.shown) is no value; it is like \"01 FF\", \"01*\" for what begins so, \"01 ?? 03\" with any byte between\(hint)"
            )
        }
        guard pattern.bytes.count <= AttributeValue.maxLength else {
            throw FieldProblem("the pattern has \(pattern.bytes.count) bytes, and a value at most \(AttributeValue.maxLength)")
        }
        return pattern
    }

    static func format(_ json: JSON) throws(FieldProblem) -> ValueFormat {
        guard let format = json.text.flatMap(ValueFormat.init) else {
            let names = ValueFormat.allCases.map(\.rawValue).joined(separator: ", ")
            throw FieldProblem("\(json.shown) is not a format; available: \(names)")
        }
        return format
    }

    static func count(_ json: JSON) throws(FieldProblem) -> Int {
        guard let count = json.integer, (0...AttributeValue.maxLength).contains(count) else {
            throw FieldProblem("\(json.shown) should be a number of bytes, 0 to \(AttributeValue.maxLength)")
        }
        return count
    }

    private static func parsed<Value>(_ parse: () throws(BluetoothError) -> Value) throws(FieldProblem) -> Value {
        do throws(BluetoothError) { return try parse() } catch { throw FieldProblem(error.description) }
    }
}

extension JSON {
    /// Shortened to be quoted in an error.
    fileprivate var shown: String { "'\((text ?? description).shortened)'" }
}

// MARK: - Reads the fields of an object in a device file, and collects all problems, not only the first.

/// A problem with one field.
struct FieldProblem: Error {
    let sentence: String

    init(_ sentence: String) {
        self.sentence = sentence
    }
}

/// The problems of a file, one sentence each.
final class Problems {
    private(set) var sentences: [String] = []

    func record(at location: String, _ sentence: String) {
        sentences.append(location.isEmpty ? sentence : "\(location): \(sentence)")
    }
}

/// The fields of one object, by name.
final class FieldReader {
    /// The object's location, in words: `device 'bell', event 2`.
    var location: String
    let problems: Problems
    private let members: [JSON.Member]
    private let isObject: Bool
    /// The fields asked for so far. A note is for people, and allowed anywhere.
    private var known = ["note"]

    /// Reports a problem if it is not an object.
    init(_ json: JSON, at location: String, _ problems: Problems) {
        self.location = location
        self.problems = problems
        if case .object(let members) = json {
            self.members = members
            isObject = true
        } else {
            members = []
            isObject = false
            problems.record(at: location, "this should be an object")
        }
    }

    func has(_ name: String) -> Bool { members.contains { $0.name == name } }

    /// The field's value, converted; nil if it is missing, or wrong, which is reported.
    func optional<Value>(_ name: String, _ convert: (JSON) throws(FieldProblem) -> Value) -> Value? {
        known.append(name)
        let found = members.filter { $0.name == name }
        guard let json = found.first?.value else { return nil }
        if found.count > 1 { problems.record(at: location, "'\(name)' is given \(found.count) times") }
        do throws(FieldProblem) {
            return try convert(json)
        } catch {
            problems.record(at: location, "\(name): \(error.sentence)")
            return nil
        }
    }

    /// The same for a required field; `example` shows a valid value.
    func required<Value>(
        _ name: String, like example: String, _ convert: (JSON) throws(FieldProblem) -> Value
    ) -> Value? {
        if isObject, !has(name) { problems.record(at: location, "'\(name)' is missing; write it like \"\(name)\": \(example)") }
        return optional(name, convert)
    }

    /// Reports unknown fields. Call it after all fields have been asked for.
    func finish() {
        for member in members where !known.contains(member.name) {
            let others = known.dropFirst().joined(separator: ", ")
            problems.record(at: location, "there is no '\(member.name.shortened)' here; available: \(others), and note")
        }
    }
}
