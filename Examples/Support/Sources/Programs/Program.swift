// Programs that a test runs, and what they say.

import Foundation

/// A program that has ended.
public struct Program {
    public let output: String
    public let errors: String
    public let status: Int32

    /// Runs a program of this build, or one that is on the path, to its end.
    public init(_ name: String, _ arguments: String..., at folder: URL? = nil) throws {
        try self.init(name, arguments, at: folder)
    }

    init(_ name: String, _ arguments: [String], at folder: URL? = nil) throws {
        let process = Process()
        let (output, errors) = (Pipe(), Pipe())
        let built = Self.builtPrograms.appending(path: name)
        let isBuilt = FileManager.default.isExecutableFile(atPath: built.path)
        process.executableURL = isBuilt ? built : URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = isBuilt ? arguments : [name] + arguments
        process.environment = Self.environment
        process.currentDirectoryURL = folder
        (process.standardOutput, process.standardError) = (output, errors)
        try process.run()
        self.output = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        self.errors = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        status = process.terminationStatus
    }

    /// The environment of all programs of a test: they do not read the settings of a gamed that is installed on this machine.
    static let environment = ProcessInfo.processInfo.environment.merging(["GAMED_CONFIG": "none"]) { $1 }

    /// Where the build has put its programs: beside the tests.
    public static let builtPrograms = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
}
