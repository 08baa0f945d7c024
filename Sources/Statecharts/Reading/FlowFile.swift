// A flow file after reading: the chart that it says, or all that is wrong with it.

import JSON
import Texts

package struct FlowFile: Sendable {
    package let path: String
    /// Nil where there are errors.
    package let definition: ChartDefinition?
    /// In the order of the file.
    package let problems: [FlowFileProblem]

    package init(text: String, path: String) {
        self.init(bytes: Array(text.utf8), path: path)
    }

    package init(bytes: [UInt8], path: String) {
        if let problem = FlowFileBytes.problem(of: bytes) {
            self.init(path: path, definition: nil, problems: [problem])
            return
        }
        let document = JSON5Document(bytes: bytes)
        let problems = Problems(document)
        let definition = document.root.flatMap { root in
            ChartReader(document, problems).read(root, fileName: Self.name(of: path))
        }
        self.init(path: path, definition: problems.hasErrors ? nil : definition, problems: problems.sorted)
    }

    /// One that cannot be read.
    package init(path: String, problem: FlowFileProblem) {
        self.init(path: path, definition: nil, problems: [problem])
    }

    private init(path: String, definition: ChartDefinition?, problems: [FlowFileProblem]) {
        self.path = path
        self.definition = definition
        self.problems = problems
    }

    package var hasErrors: Bool { definition == nil }

    /// One line for each problem.
    package var report: [String] { problems.map { $0.description(in: path) } }

    /// The file's name without folders and extension.
    private static func name(of path: String) -> String {
        let file = path.split(separator: "/").last ?? ""
        return String(file.lastIndex(of: ".").map { file[..<$0] } ?? file)
    }
}

// MARK: - The bytes of a flow file, checked before anything reads them

enum FlowFileBytes {
    /// Why these bytes are not even looked into.
    static func problem(of bytes: [UInt8]) -> FlowFileProblem? {
        guard bytes.count <= ChartBounds.fileBytes else {
            return FlowFileProblem(.error, "a flow file has at most \(ChartBounds.fileBytes >> 20) MiB, and this one has more")
        }
        if bytes.first(where: { $0 > UInt8(ascii: " ") }) == UInt8(ascii: "<") {
            return FlowFileProblem(.error, "this looks like XML, and a flow file is JSON5: { id: \"lamp\", states: { … } }")
        }
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: bytes.span)
            return nil
        } catch {
            let line = bytes[..<error.byteOffsets.lowerBound].count { $0 == 0x0A } + 1
            return FlowFileProblem(.error, line: line, "a flow file is UTF-8, and in this line there is a byte that is not")
        }
    }
}

// MARK: - Problems of a flow file, and their places

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
