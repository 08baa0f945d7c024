// A flow file that was read, and made into a flow to see whether that works.

import Statecharts
import GameFlow
import Texts
import Timers

package struct CheckedFlowFile {
    /// As it was given, or as it stands in a folder that was given.
    package let path: String
    /// Nil where there are errors.
    package private(set) var definition: ChartDefinition?
    /// In the order of the file.
    package private(set) var problems: [FlowFileProblem]

    package init(path: String) {
        let file = FlowFile(path: path)
        self.path = path
        (definition, problems) = (file.definition, file.problems)
        guard let definition else { return }
        do {
            check(try FlowKind.chart(definition))
        } catch {
            add(FlowFileProblem(.error, "it cannot be run: \(error)"))
        }
    }

    /// A session may need what only NEW can give it, so this is no error.
    private mutating func check(_ kind: FlowKind) {
        do {
            _ = try kind.decidingOnly().begin(on: Timekeeper(VirtualClock()))
        } catch {
            problems.append(FlowFileProblem(.warning, "a session that is given no context cannot begin: \(error)"))
        }
    }

    /// A file or a folder without a flow, and the problem found.
    init(path: String, problem: FlowFileProblem) {
        (self.path, problems) = (path, [problem])
    }

    /// Adds an error, with which it is no flow.
    mutating func add(_ problem: FlowFileProblem) {
        problems.append(problem)
        definition = nil
    }

    /// A new kind of this flow, which shares nothing with others; nil where there are errors.
    package func kind() -> FlowKind? { definition.flatMap { try? FlowKind.chart($0) } }

    package var errors: [FlowFileProblem] { problems.filter { $0.severity == .error } }
    package var warnings: [FlowFileProblem] { problems.filter { $0.severity == .warning } }

    /// One line for each error: `quiz.json5:12:7: error: …`.
    package var complaints: [String] { errors.map { $0.description(in: path) } }
}
