// Flow files, by their names or by their folders.

import Statecharts
import Posix

package struct FlowFiles {
    package private(set) var files: [CheckedFlowFile] = []
    private let areTogether: Bool

    /// Reads files, and all `*.json5` and `*.json` of folders. Problems are recorded with their file. If one host is to have all flows, a name that
    /// two files share is a problem, too.
    package init(_ paths: [String], areTogether: Bool = true) {
        self.areTogether = areTogether
        for path in paths { add(path) }
    }

    /// Whether nothing is wrong with any of them, warnings aside.
    package var areGood: Bool { files.allSatisfy(\.errors.isEmpty) }
    /// Those with errors are left out.
    package var definitions: [ChartDefinition] { files.compactMap(\.definition) }
    /// One line for each error of all files.
    package var complaints: [String] { files.flatMap(\.complaints) }

    /// Whether a word means a file and not the name of a flow.
    package static func isPath(_ word: String) -> Bool { word.contains("/") || isFlowFile(word) }

    static func isFlowFile(_ name: String) -> Bool { name.hasSuffix(".json5") || name.hasSuffix(".json") }

    /// Editors want the schema beside the flows that it is for.
    private static func isForEditors(_ name: String) -> Bool { name.hasPrefix(".") || name.hasSuffix(".schema.json") }

    private mutating func add(_ path: String) {
        guard let names = FolderListing.names(in: path) else { return read(path) }
        let found = names.filter { Self.isFlowFile($0) && !Self.isForEditors($0) }.sorted()
        if found.isEmpty {
            files.append(
                CheckedFlowFile(
                    path: path,
                    problem: FlowFileProblem(.error, "there is no *.json5 and no *.json in this folder")))
        }
        for name in found { read(path.hasSuffix("/") ? path + name : "\(path)/\(name)") }
    }

    private mutating func read(_ path: String) {
        guard !files.contains(where: { $0.path == path }) else { return }
        var file = CheckedFlowFile(path: path)
        if areTogether, let name = file.definition?.name, let first = files.first(where: { $0.definition?.name == name }) {
            file.add(
                FlowFileProblem(.error, "there is a flow '\(name)' in \(first.path) already; give one of them another id"))
        }
        files.append(file)
    }
}
