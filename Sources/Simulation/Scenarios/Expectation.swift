// A scenario's expectation of a session.

import GameFlow
import Texts

enum Expectation: Sendable {
    case state(String, [DataExpectation])
    case data(DataExpectation)
    /// Nil: no such timer runs.
    case timer(String, left: Duration?)
    case timers([String])
    case events([String])
    /// The whole session, or one of its timers.
    case paused(timer: String?, Bool)
    case final(Bool)
    case version(Int)
}

/// Expected and actual value.
struct Mismatch: Sendable, Equatable {
    let expected: String
    let got: String

    /// Nil if both are the same.
    static func unless(_ isMet: Bool, _ expected: String, got: String) -> Mismatch? {
        isMet ? nil : Mismatch(expected: expected, got: got)
    }
}

extension Expectation {
    /// Nil if the session is as expected.
    func mismatch(with machine: AnyMachine) -> Mismatch? {
        switch self {
        case .state(let name, let data): Self.state(name, data, machine)
        case .data(let data): Self.data([data], machine)
        case .timer(let name, let left): Self.timer(name, left, machine)
        case .timers(let names): Self.names(names, machine.running.map(\.plan.name))
        case .events(let names): Self.names(names, machine.acceptedFromOutside.map(\.name))
        case .paused(let timer, let isPaused): Self.paused(timer, isPaused, machine)
        case .final(let isFinal):
            .unless(machine.isFinal == isFinal, isFinal ? "final" : "not final", got: "'\(machine.stateName)'")
        case .version(let version): .unless(Int(machine.version) == version, "\(version)", got: "\(machine.version)")
        }
    }

    private static func state(_ name: String, _ data: [DataExpectation], _ machine: AnyMachine) -> Mismatch? {
        guard machine.stateName == name else { return Mismatch(expected: name, got: machine.stateName) }
        return self.data(data, machine)
    }

    private static func data(_ expectations: [DataExpectation], _ machine: AnyMachine) -> Mismatch? {
        guard !expectations.isEmpty else { return nil }
        let (found, exact): (JSON, JSON)
        do {
            // A scenario may know its timers to the nanosecond, as they are saved.
            (found, exact) = (try machine.shownData(), try machine.stateData())
        } catch {
            return Mismatch(expected: "data", got: "\(error)")
        }
        let missed = expectations.filter { !$0.isMet(by: found) && !$0.isMet(by: exact) }
        return .unless(
            missed.isEmpty, missed.map { "\($0.path)=\($0.text)" }.joined(separator: " "),
            got: missed.map { $0.found(in: found) }.joined(separator: " "))
    }

    private static func timer(_ name: String, _ left: Duration?, _ machine: AnyMachine) -> Mismatch? {
        let found = machine.running.last { $0.plan.name == name }?.remaining
        let others = machine.running.map(\.plan.name)
        let none = others.isEmpty ? "no timer" : "no timer '\(name)', but \(others.joined(separator: ", "))"
        return .unless(
            found == left, left.map { "\($0.written) left" } ?? "none", got: found.map { "\($0.written) left" } ?? none)
    }

    /// Names in any order.
    private static func names(_ expected: [String], _ found: [String]) -> Mismatch? {
        .unless(expected.sorted() == found.sorted(), listed(expected), got: listed(found))
    }

    private static func listed(_ names: [String]) -> String { names.isEmpty ? "none" : names.joined(separator: " ") }

    private static func paused(_ name: String?, _ isPaused: Bool, _ machine: AnyMachine) -> Mismatch? {
        let expected = isPaused ? "paused" : "not paused"
        guard let name else {
            return .unless(machine.isFrozen == isPaused, expected, got: isPaused ? "not paused" : "paused")
        }
        guard let timer = machine.running.last(where: { $0.plan.name == name }) else {
            return Mismatch(expected: expected, got: "no timer '\(name)' in '\(machine.stateName)'")
        }
        let isFound = timer.isPaused || machine.isFrozen
        return .unless(isFound == isPaused, expected, got: isPaused ? "not paused" : "paused")
    }
}

extension AnyMachine {
    /// The timers that have not fired for good.
    fileprivate var running: [StateTimer] { ownTimers.filter { $0.remaining != nil } }
}

// MARK: - An expectation about a value in a state's data.

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
}
