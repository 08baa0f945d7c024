// A scenario: the steps of one file, all parsed before any is run.

import Posix

package struct Scenario: Sendable {
    /// The file's path, as given.
    package let path: String
    package let steps: [ScenarioStep]

    /// Parses the text of a file, and throws all its errors together.
    package init(parsing text: String, path: String) throws(ScenarioFault) {
        var (steps, faults): ([ScenarioStep], [String]) = ([], [])
        for (index, line) in Self.lines(of: text).enumerated() {
            do throws(StepFault) {
                guard let step = try ScenarioStep(parsing: line, number: index + 1) else { continue }
                steps.append(step)
            } catch {
                faults.append("\(path):\(index + 1): \(error.sentence)")
            }
        }
        if steps.isEmpty && faults.isEmpty { faults.append("\(path): there is no step in it") }
        guard faults.isEmpty else { throw ScenarioFault(sentences: faults) }
        self.path = path
        self.steps = steps
    }

    package init(path: String) throws(ScenarioFault) {
        let bytes: [UInt8]?
        do throws(FileError) {
            bytes = try SmallFile(path, atMost: Self.mostBytes).bytes()
        } catch {
            throw ScenarioFault(sentences: ["\(path): it cannot be read: \(error.reason)"])
        }
        guard let bytes else { throw ScenarioFault(sentences: ["\(path): there is no such file"]) }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ScenarioFault(sentences: ["\(path): it is not text in UTF-8"])
        }
        try self.init(parsing: text, path: path)
    }

    private static let mostBytes = 64 << 20

    /// A Windows line end is a single Character in Swift.
    private static func lines(of text: String) -> [String] {
        text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }.map(String.init)
    }
}

/// Why a file is not a scenario: a sentence per error, with file and line.
package struct ScenarioFault: Error, CustomStringConvertible {
    package let sentences: [String]

    package var description: String { sentences.joined(separator: "\n") }
}

/// Why a line is not a step.
struct StepFault: Error {
    let sentence: String

    init(_ sentence: String) {
        self.sentence = sentence
    }
}
