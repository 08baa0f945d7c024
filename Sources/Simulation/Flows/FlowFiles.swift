// Flow files, by their names or by their folders.

import Client
import GameFlow
import Posix
import Statecharts

package struct FlowFiles {
    package private(set) var files: [FlowFile] = []
    private let areTogether: Bool

    /// Reads files, and all `*.json5` and `*.json` of folders. Problems are recorded with their file. If one host is to have all flows, a name that
    /// two files share is a problem, too.
    package init(_ paths: [String], areTogether: Bool = true) {
        self.areTogether = areTogether
        for path in paths { add(path) }
        if areTogether { checkInvokedContexts() }
    }

    /// Whether nothing is wrong with any of them, warnings aside.
    package var areGood: Bool { files.allSatisfy(\.errors.isEmpty) }
    /// Whether all of them could be read.
    var areReadable: Bool { files.allSatisfy(\.isReadable) }
    /// Those with errors are left out.
    package var definitions: [ChartDefinition] { files.compactMap(\.definition) }
    /// One line for each error of all files.
    package var complaints: [String] { files.flatMap(\.complaints) }

    /// All errors of all files, as those of a command line that names them.
    package var error: ControlError { Self.error(complaints, areReadable: areReadable) }

    fileprivate static func error(_ complaints: [String], areReadable: Bool) -> ControlError {
        let text = complaints.joined(separator: "\n")
        return areReadable ? .badFlow(text) : .unreadable(text)
    }

    /// Whether a word means a file and not the name of a flow.
    package static func isPath(_ word: String) -> Bool { word.contains("/") || isFlowFile(word) }

    static func isFlowFile(_ name: String) -> Bool { name.hasSuffix(".json5") || name.hasSuffix(".json") }

    /// Editors want the schema beside the flows that it is for.
    private static func isForEditors(_ name: String) -> Bool { name.hasPrefix(".") || name.hasSuffix(".schema.json") }

    private mutating func add(_ path: String) {
        guard let names = FolderListing.names(in: path) else { return read(path) }
        let found = names.filter { Self.isFlowFile($0) && !Self.isForEditors($0) }.sorted()
        if found.isEmpty {
            let problem = FlowFileProblem(.error, "there is no *.json5 and no *.json in this directory")
            files.append(FlowFile(path: path, problem: problem, isReadable: true))
        }
        for name in found { read(path.hasSuffix("/") ? path + name : "\(path)/\(name)") }
    }

    private mutating func read(_ path: String) {
        guard !files.contains(where: { $0.path == path }) else { return }
        var file = FlowFile(checking: path)
        if areTogether, let name = file.definition?.name, let first = files.first(where: { $0.definition?.name == name }) {
            file.add(
                FlowFileProblem(.error, "there is a flow '\(name)' in \(first.path) already; give one of them another id"))
        }
        files.append(file)
    }

    /// Adds a warning for each invoked flow that is in none of the files, and not among these names.
    package mutating func warnOfMissingFlows(besides names: [String]) {
        let names = Set(definitions.map(\.name) + names)
        for index in files.indices {
            for problem in files[index].definition?.missingFlowProblems(among: names) ?? [] { files[index].add(problem) }
        }
    }

    private mutating func checkInvokedContexts() {
        let flows = Dictionary(definitions.map { ($0.name, $0) }) { first, _ in first }
        for index in files.indices {
            for problem in files[index].definition?.invokedContextProblems(flows) ?? [] { files[index].add(problem) }
        }
    }
}

// MARK: - Flow files on the disk.

extension FlowFile {
    /// Reads the file. One that cannot be read is a problem too.
    package init(path: String) {
        do throws(FileError) {
            self.init(bytes: try PlainFile.bytes(path, atMost: ChartBounds.fileBytes), path: path)
        } catch {
            let problem = FlowFileProblem(.error, "the file cannot be read: \(error.reason)")
            self.init(path: path, problem: problem, isReadable: false)
        }
    }

    /// Reads the file, and makes it into a flow to see whether that works.
    package init(checking path: String) {
        self.init(path: path)
        guard let definition else { return }
        do {
            tryToBegin(try FlowKind.chart(definition))
        } catch {
            add(FlowFileProblem(.error, "it cannot be run: \(error)"))
        }
    }

    /// A session may need what only NEW can give it, so this is no error.
    private mutating func tryToBegin(_ kind: FlowKind) {
        do {
            _ = try kind.decidingOnly().begin(on: Timekeeper(VirtualClock()))
        } catch {
            add(FlowFileProblem(.warning, "a session without a context cannot start: \(error)"))
        }
    }

    /// A new kind of this flow, which shares nothing with others; nil where there are errors.
    package func kind() -> FlowKind? { definition.flatMap { try? FlowKind.chart($0) } }

    package var errors: [FlowFileProblem] { problems.filter { $0.severity == .error } }
    package var warnings: [FlowFileProblem] { problems.filter { $0.severity == .warning } }

    /// Its errors as those of a command line that names it.
    package var error: ControlError { FlowFiles.error(complaints, areReadable: isReadable) }

    /// One line for each error: `quiz.json5:12:7: error: …`.
    package var complaints: [String] { errors.map { $0.description(in: path) } }
}
