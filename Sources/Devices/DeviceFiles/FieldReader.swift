// Takes an object of a device file apart, and notes everything that is wrong with it rather than the first thing only.

import GameFlow
import Texts

/// What is wrong with one field, in words.
struct FieldProblem: Error {
    let sentence: String

    init(_ sentence: String) {
        self.sentence = sentence
    }
}

/// What is wrong with a file, one sentence each.
final class Problems {
    private(set) var sentences: [String] = []

    func note(_ place: String, _ sentence: String) {
        sentences.append(place.isEmpty ? sentence : "\(place): \(sentence)")
    }
}

/// The fields of one object, by name.
final class FieldReader {
    /// Where the object stands, in words: `device 'bell', event 2`.
    var place: String
    let problems: Problems
    private let members: [JSON.Member]
    private let isObject: Bool
    /// Those that somebody has asked for. A note is for people, and may stand anywhere.
    private var known = ["note"]

    /// Notes that it is no object, if it is none.
    init(_ json: JSON, at place: String, _ problems: Problems) {
        self.place = place
        self.problems = problems
        if case .object(let members) = json {
            self.members = members
            isObject = true
        } else {
            members = []
            isObject = false
            problems.note(place, "this should be an object in braces")
        }
    }

    func has(_ name: String) -> Bool { members.contains { $0.name == name } }

    /// The field's value, converted; nil if it is not there, or wrong, which is then noted.
    func optional<Value>(_ name: String, _ convert: (JSON) throws(FieldProblem) -> Value) -> Value? {
        known.append(name)
        let found = members.filter { $0.name == name }
        guard let json = found.first?.value else { return nil }
        if found.count > 1 { problems.note(place, "'\(name)' is said \(found.count) times") }
        do throws(FieldProblem) {
            return try convert(json)
        } catch {
            problems.note(place, "\(name): \(error.sentence)")
            return nil
        }
    }

    /// The same for a field that must be there; `example` says what it would look like.
    func required<Value>(
        _ name: String, like example: String, _ convert: (JSON) throws(FieldProblem) -> Value
    ) -> Value? {
        if isObject, !has(name) { problems.note(place, "'\(name)' is missing; it is like \"\(name)\": \(example)") }
        return optional(name, convert)
    }

    /// To be called when all fields have been asked for: notes those that nobody knows.
    func finish() {
        for member in members where !known.contains(member.name) {
            let others = known.dropFirst().joined(separator: ", ")
            problems.note(place, "there is no '\(member.name.shortened)' here; there are \(others), and note")
        }
    }
}
