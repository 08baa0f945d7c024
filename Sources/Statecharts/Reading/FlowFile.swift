// A flow file after reading: the chart that it says, or all that is wrong with it.

import JSON
import Texts

package struct FlowFile: Sendable {
    package let path: String
    /// Nil where there are errors.
    package private(set) var definition: ChartDefinition?
    /// In the order of the file.
    package private(set) var problems: [FlowFileProblem]
    /// Whether it could be read.
    package let isReadable: Bool

    package init(bytes: [UInt8], path: String) {
        isReadable = true
        if let problem = Self.problem(of: bytes) {
            (self.path, problems) = (path, [problem])
            return
        }
        let document = JSON5Document(bytes: bytes)
        let problems = Problems(document)
        let definition = document.root.flatMap { root in
            ChartReader(document, problems).read(root, fileName: Self.name(of: path))
        }
        self.path = path
        self.definition = problems.hasErrors ? nil : definition
        self.problems = problems.sorted
    }

    /// Returns why the bytes cannot be a flow file, or nil.
    private static func problem(of bytes: [UInt8]) -> FlowFileProblem? {
        guard bytes.count <= ChartBounds.fileBytes else {
            return FlowFileProblem(.error, "a flow file has at most \(ChartBounds.fileBytes >> 20) MiB, and this one has more")
        }
        if bytes.first(where: { $0 > UInt8(ascii: " ") }) == UInt8(ascii: "<") {
            return FlowFileProblem(.error, "this looks like XML, and a flow file is JSON5: { id: \"lamp\", states: { … } }")
        }
        return bytes.firstLineThatIsNoText.map {
            FlowFileProblem(
                .error, at: TextPosition(line: $0, column: 1),
                "a flow file is UTF-8, and in this line there is a byte that is not")
        }
    }

    /// One with this problem, such as a file that cannot be read.
    package init(path: String, problem: FlowFileProblem, isReadable: Bool) {
        (self.path, problems, self.isReadable) = (path, [problem], isReadable)
    }

    /// Adds a problem that was found later; with an error, it is no flow.
    package mutating func add(_ problem: FlowFileProblem) {
        problems.append(problem)
        if problem.severity == .error { definition = nil }
    }

    /// One line for each problem.
    package var report: [String] { problems.map { $0.description(in: path) } }

    /// The file's name without folders and extension.
    private static func name(of path: String) -> String {
        let file = path.split(separator: "/").last ?? ""
        return String(file.lastIndex(of: ".").map { file[..<$0] } ?? file)
    }
}

// MARK: - Problems of a flow file, and their places

package struct FlowFileProblem: Error, Sendable, Equatable {
    package enum Severity: String, Sendable {
        case error
        case warning
    }

    package let severity: Severity
    package let position: TextPosition
    package let sentence: String

    package init(_ severity: Severity, at position: TextPosition = TextPosition(line: 1, column: 1), _ sentence: String) {
        self.severity = severity
        self.position = position
        self.sentence = sentence
    }

    /// `quiz.json5:12:7: error: …`, as compilers write it and editors understand it.
    package func description(in path: String) -> String {
        "\(place(in: path)): \(severity.rawValue): \(sentence.printable)"
    }

    /// `quiz.json5:12:7`.
    package func place(in path: String) -> String { "\(path.printable):\(position.line):\(position.column)" }
}

// MARK: - Collects the problems of a file while it is read.

final class Problems {
    /// Further problems are only counted: after fixing these, the author reads the file again.
    private static let maxCount = 100

    private let document: JSON5Document
    private var all: [FlowFileProblem] = []
    private var omitted = 0
    /// The bounds that were reported.
    private var exceeded: Set<String> = []
    private(set) var hasErrors = false

    init(_ document: JSON5Document) {
        self.document = document
        for error in document.problems { add(.error, error.offset, error.problem) }
    }

    /// The sentence is made only if it is reported, because a suggestion is searched among all names.
    func error(_ offset: Int, _ sentence: @autoclosure () -> String) {
        add(.error, offset, sentence())
    }

    func warning(_ offset: Int, _ sentence: @autoclosure () -> String) {
        add(.warning, offset, sentence())
    }

    /// Whether one more may come; reports once that it may not.
    func hasRoom(_ count: Int, atMost max: Int, _ things: String, of subject: String = "a flow has", at offset: Int) -> Bool {
        if count < max { return true }
        if exceeded.insert(things).inserted { error(offset, "\(subject) at most \(max) \(things); this one is beyond that") }
        return false
    }

    private func add(_ severity: FlowFileProblem.Severity, _ offset: Int, _ sentence: @autoclosure () -> String) {
        if severity == .error { hasErrors = true }
        guard all.count < Self.maxCount else {
            omitted += 1
            return
        }
        all.append(FlowFileProblem(severity, at: document.positions[offset], sentence()))
    }

    /// In the order of the file, and then how many more there are.
    var sorted: [FlowFileProblem] {
        let inOrder = all.sorted { $0.position < $1.position }
        guard omitted > 0, let last = inOrder.last else { return inOrder }
        let more = FlowFileProblem(
            hasErrors ? .error : .warning, at: last.position, "\(omitted) more problems follow; fix these first")
        return inOrder + [more]
    }
}

extension String {
    /// A word of the file in a sentence.
    var quoted: String { "'\(shortened.printable)'" }
}

extension Collection<String> {
    /// The suggestion for an unknown name: the nearest name, or all names if there are few.
    func nearest(to name: String) -> String {
        let names = Array(self)
        if let near = Suggestion.closest(to: name, among: names) { return "did you mean \(near.quoted)?" }
        let list = names.count <= 20 ? names.map(\.shortened).available : ""
        return list.isEmpty || list.utf8.count > 400 ? "\(names.count) others exist" : list
    }
}
