// A scenario: the steps of one file, all parsed and checked before any is run.

import Statecharts
import Posix

package struct Scenario: Sendable {
    /// The file's path, as given.
    package let path: String
    package let steps: [ScenarioStep]
    /// The flows of the files that it names.
    let charts: [ChartDefinition]

    /// Parses the text of a file, and throws all its errors together: also names that `flows` do not have, if they are given.
    package init(parsing text: String, path: String, for flows: RehearsedFlows? = nil) throws(ScenarioFault) {
        let lines = Self.lines(of: text)
        let files = FlowFiles(Self.flowFiles(named: lines, besides: path))
        // Without its flows, every name of theirs would be a mistake.
        let check = files.areGood ? flows.map { ScenarioCheck(of: $0.with(files.definitions), besides: path) } : nil
        var (steps, faults): ([ScenarioStep], [String]) = ([], files.complaints)
        for (index, line) in lines.enumerated() {
            let place = "\(path):\(index + 1): "
            do throws(StepFault) {
                guard let step = try ScenarioStep(parsing: line, number: index + 1) else { continue }
                steps.append(step)
                faults += check?.mistakes(of: step).map { place + $0 } ?? []
            } catch {
                faults.append(place + error.sentence)
                check?.overlook(line)
            }
        }
        if steps.isEmpty && faults.isEmpty { faults.append("\(path): there is no step in it") }
        guard faults.isEmpty else { throw ScenarioFault(path: path, sentences: faults) }
        self.path = path
        self.steps = steps
        charts = files.definitions
    }

    package init(path: String, for flows: RehearsedFlows? = nil) throws(ScenarioFault) {
        guard !FlowFiles.isFlowFile(path) else {
            throw ScenarioFault(path, "it is a flow file; gamectl check reads it, and gamectl test reads scenarios")
        }
        let bytes: [UInt8]?
        do throws(FileError) {
            bytes = try SmallFile(path, atMost: Self.maxBytes).bytes()
        } catch {
            throw ScenarioFault(path, "it cannot be read: \(error.reason)")
        }
        guard let bytes else { throw ScenarioFault(path, "there is no such file") }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw ScenarioFault(path, "it is not text in UTF-8") }
        try self.init(parsing: text, path: path, for: flows)
    }

    /// The flow files that the lines name, wherever they stand. A line that is no step is told with the others.
    private static func flowFiles(named lines: [String], besides path: String) -> [String] {
        let folder = ScenarioWorld.folder(of: path)
        return lines.compactMap { line in
            guard case .flow(let path)? = (try? ScenarioStep(parsing: line, number: 0))?.action else { return nil }
            return path.hasPrefix("/") ? path : folder + path
        }
    }

    private static let maxBytes = 64 << 20

    /// A Windows line end is a single Character in Swift.
    private static func lines(of text: String) -> [String] {
        text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }.map(String.init)
    }
}

/// Why a file is not a scenario: a sentence per error, with file and line.
package struct ScenarioFault: Error, CustomStringConvertible {
    package let path: String
    package let sentences: [String]

    init(path: String, sentences: [String]) {
        (self.path, self.sentences) = (path, sentences)
    }

    /// Of the file as a whole.
    init(_ path: String, _ sentence: String) {
        self.init(path: path, sentences: ["\(path): \(sentence)"])
    }

    package var description: String { sentences.joined(separator: "\n") }
}

/// Why a line is not a step.
struct StepFault: Error {
    let sentence: String

    init(_ sentence: String) {
        self.sentence = sentence
    }
}
