// Reads the fields of an object in a device file, and collects all problems, not only the first.

import GameFlow
import Texts

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

    /// Notes a problem if it is not an object.
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

    /// The field's value, converted; nil if it is missing, or wrong, which is noted.
    func optional<Value>(_ name: String, _ convert: (JSON) throws(FieldProblem) -> Value) -> Value? {
        known.append(name)
        let found = members.filter { $0.name == name }
        guard let json = found.first?.value else { return nil }
        if found.count > 1 { problems.record(at: location, "'\(name)' is said \(found.count) times") }
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

    /// Notes unknown fields. Call it after all fields have been asked for.
    func finish() {
        for member in members where !known.contains(member.name) {
            let others = known.dropFirst().joined(separator: ", ")
            problems.record(at: location, "there is no '\(member.name.shortened)' here; available: \(others), and note")
        }
    }
}
