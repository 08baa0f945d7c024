// A flow file after reading: the chart that it says, or all that is wrong with it.

import JSON

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
