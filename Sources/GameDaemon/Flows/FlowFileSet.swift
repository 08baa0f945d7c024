// The flows of the files that the daemon was started with: read at the start, and again on a reload.

import Statecharts
import Commands
import GameFlow
import Posix
import Simulation
import Texts

/// The flow files as they are now. They are read here, and hosted elsewhere.
struct FlowFileSet: Sendable {
    private(set) var charts: [(path: String, definition: ChartDefinition)] = []
    /// A line each: `quiz.json5:12:7: error: …`.
    private(set) var problems: [String] = []
    private(set) var warnings: [FileWarning] = []

    /// Reads files, and folders of files, as they were given. `ownNames` are the flows that are part of the program. It can
    /// take long, and may run on any thread.
    init(reading paths: [String], besides ownNames: [String]) {
        var files = FlowFiles(paths)
        // No errors: a file that is added later may have the flow.
        files.warnOfMissingFlows(besides: ownNames)
        for file in files.files {
            let isFolder = paths.contains(file.path) && FolderListing.names(in: file.path) != nil
            add(file, isEmptyFolder: isFolder, ownNames)
        }
    }

    /// A folder may be empty: flows may come into it later.
    private mutating func add(_ file: FlowFile, isEmptyFolder: Bool, _ ownNames: [String]) {
        if isEmptyFolder {
            warnings += file.errors.map { FileWarning(file.path.printable, $0.sentence) }
            return
        }
        problems += file.complaints
        warnings += file.warnings.map { FileWarning($0.place(in: file.path), $0.sentence.printable) }
        guard let definition = file.definition else { return }
        if ownNames.contains(definition.name) {
            let problem = FlowFileProblem(
                .error, "there is a flow '\(definition.name)' in the program itself; give this one another id")
            problems.append(problem.description(in: file.path))
        }
        charts.append((file.path, definition))
    }

    /// New kinds of all flows, for a daemon that hosts none of them yet. Throws if anything is wrong with any file.
    func kinds(_ executor: (any TaskExecutor)?) throws(FlowFilesError) -> [FlowKind] {
        guard problems.isEmpty else { throw FlowFilesError(problems: problems) }
        return try Self.kinds(of: charts, executor)
    }

    private static func kinds(
        of charts: [(path: String, definition: ChartDefinition)], _ executor: (any TaskExecutor)?
    ) throws(FlowFilesError) -> [FlowKind] {
        var kinds: [FlowKind] = []
        for (path, definition) in charts {
            do {
                let kind = try FlowKind.chart(definition, file: path)
                kind.executor = executor
                kinds.append(kind)
            } catch {
                throw FlowFilesError(problems: ["\(path.printable):1:1: error: it cannot be run: \(error)"])
            }
        }
        return kinds
    }

    /// Returns the differences to the hosted flows. Changed flows are compiled, which can take long, and may run on any thread.
    func changes(from hosted: HostedFlows, _ executor: (any TaskExecutor)?) -> ReloadedFiles {
        var read = ReloadedFiles()
        (read.problems, read.warnings) = (problems, warnings)
        guard problems.isEmpty else { return read }
        let names = Set(charts.map(\.definition.name))
        read.gone = hosted.ofFiles.filter { !names.contains($0) }
        let changed = charts.filter { chart in
            hosted.fingerprints[chart.definition.name] != chart.definition.fingerprint
        }
        let changedNames = Set(changed.map(\.definition.name))
        read.unchanged = charts.map(\.definition.name).filter { !changedNames.contains($0) }
        do throws(FlowFilesError) { read.kinds = try Self.kinds(of: changed, executor) } catch {
            read.problems = error.problems
        }
        return read
    }
}

/// The flows of files that a daemon hosts, by name.
struct HostedFlows: Sendable {
    /// In the daemon's order.
    let ofFiles: [String]
    let fingerprints: [String: String]

    init(_ flows: [FlowKind]) {
        let known = flows.compactMap { flow in flow.origin.map { (flow.name, $0.fingerprint) } }
        ofFiles = known.map(\.0)
        fingerprints = Dictionary(known) { first, _ in first }
    }
}

struct FlowFilesError: Error, CustomStringConvertible {
    /// A line each.
    let problems: [String]

    var description: String {
        let heading = problems.count == 1 ? "a flow file has an error:" : "flow files have \(problems.count) errors:"
        return ([heading] + problems).joined(separator: "\n")
    }
}
