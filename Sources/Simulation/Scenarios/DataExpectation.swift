// An expectation about a value in a state's data.

import GameFlow
import Texts

struct DataExpectation: Sendable {
    /// `play.seconds`: members by name, elements by index.
    let path: String
    /// As it was written.
    let text: String
    private let value: JSON

    init(path: String, value text: String) throws(StepFault) {
        self.path = path
        self.text = text
        do throws(JSONError) {
            value = try JSON(payload: text)
        } catch {
            throw StepFault("'\(text.shortened)' is not JSON: \(error)")
        }
    }

    /// `path=value`.
    init(parsing word: String) throws(StepFault) {
        guard let equals = word.firstIndex(of: "="), equals != word.startIndex else {
            throw StepFault("'\(word.shortened)' is not PATH=VALUE, like episode=3")
        }
        try self.init(path: String(word[..<equals]), value: String(word[word.index(after: equals)...]))
    }

    func isMet(by data: JSON) -> Bool {
        let found = data.value(at: path) ?? .null
        // A string that looks like a number needs no quotes.
        return found.means(value) || found.text == text
    }

    /// The value found instead.
    func found(in data: JSON) -> String {
        guard let value = data.value(at: path) else { return "no \(path)" }
        return "\(path)=\(value.text ?? value.withReadableTimers.description)"
    }
}

extension JSON {
    /// The value at a dotted path.
    fileprivate func value(at path: String) -> JSON? {
        var value: JSON? = self
        for name in path.split(separator: ".", omittingEmptySubsequences: false) {
            switch value {
            case .array(let elements)?: value = Int(name).flatMap { elements.indices.contains($0) ? elements[$0] : nil }
            case .object?: value = value?[String(name)]
            default: return nil
            }
        }
        return value
    }

    /// Whether the values are equal: 1 equals 1.0, and the order of members does not matter.
    fileprivate func means(_ other: JSON) -> Bool {
        switch (self, other) {
        case (.integer, .number), (.number, .integer): return double == other.double
        case (.array(let left), .array(let right)):
            return left.count == right.count && zip(left, right).allSatisfy { $0.means($1) }
        case (.object(let left), .object(let right)):
            return left.count == right.count
                && left.allSatisfy { member in other[member.name].map(member.value.means) ?? false }
        default: return self == other
        }
    }
}
