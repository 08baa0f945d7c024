// Collects the problems of a file while it is read.

import JSON
import Texts

final class Problems {
    /// Further problems are only counted: after fixing these, the author reads the file again.
    private static let maxCount = 100

    private let document: JSON5Document
    private var all: [FlowFileProblem] = []
    private var omitted = 0
    private(set) var hasErrors = false

    init(_ document: JSON5Document) {
        self.document = document
        for problem in document.problems { add(.error, problem.offset, problem.sentence) }
    }

    /// The sentence is made only if it is reported, because a suggestion is searched among all names.
    func error(_ offset: Int, _ sentence: @autoclosure () -> String) {
        add(.error, offset, sentence())
    }

    func warning(_ offset: Int, _ sentence: @autoclosure () -> String) {
        add(.warning, offset, sentence())
    }

    private func add(_ severity: FlowFileProblem.Severity, _ offset: Int, _ sentence: @autoclosure () -> String) {
        if severity == .error { hasErrors = true }
        guard all.count < Self.maxCount else {
            omitted += 1
            return
        }
        let position = document.positions[offset]
        all.append(FlowFileProblem(severity, line: position.line, column: position.column, sentence()))
    }

    /// In the order of the file, and then how many more there are.
    var sorted: [FlowFileProblem] {
        let inOrder = all.enumerated().sorted { left, right in
            (left.element.line, left.element.column, left.offset) < (right.element.line, right.element.column, right.offset)
        }.map(\.element)
        guard omitted > 0, let last = inOrder.last else { return inOrder }
        let more = FlowFileProblem(
            hasErrors ? .error : .warning, line: last.line, column: last.column,
            "\(omitted) more problems follow; fix these first")
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
