// What is wrong with a flow file, and where.

import Texts

package struct FlowFileProblem: Error, Sendable, Equatable {
    package enum Severity: String, Sendable {
        case error
        case warning
    }

    package let severity: Severity
    package let line: Int
    package let column: Int
    package let sentence: String

    package init(_ severity: Severity, line: Int = 1, column: Int = 1, _ sentence: String) {
        self.severity = severity
        self.line = line
        self.column = column
        self.sentence = sentence
    }

    /// `quiz.json5:12:7: error: …`, as compilers write it and editors understand it.
    package func description(in path: String) -> String {
        "\(path.printable):\(line):\(column): \(severity.rawValue): \(sentence.printable)"
    }
}
