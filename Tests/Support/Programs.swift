// Programs that tests start: paths of this build, and runs to the end.

import Foundation

/// The directory of this build's programs.
package let productsDirectory: URL = {
    let ownProgram = URL(fileURLWithPath: CommandLine.arguments[0])
    let candidates = [ownProgram.deletingLastPathComponent(), Bundle.main.bundleURL, URL(fileURLWithPath: ".build/debug")]
    let hasPrograms = { (folder: URL) in
        ["gamed", "store-probe"].contains { FileManager.default.isExecutableFile(atPath: folder.appending(path: $0).path) }
    }
    return candidates.first(where: hasPrograms) ?? candidates[2]
}()

/// Whether `make sanitize` runs the tests. The process's memory then includes the sanitizer's, so tests cannot measure it.
package let isSanitized = ProcessInfo.processInfo.environment["ASAN_OPTIONS"] != nil

/// The package's root.
package let packageRoot = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

/// A program that has run to its end.
package struct Program {
    package let output: String
    package let errors: String
    /// The exit status, or the negative number of the signal that ended the program.
    package let status: Int32

    /// Runs the program at the path or in PATH to its end, with `input` on its standard input. `output` is empty if it goes to `place`.
    package init(
        _ path: String, _ arguments: [String], input: String = "", into place: FileHandle? = nil,
        environment: [String: String] = [:], mixesErrors: Bool = false
    ) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path.hasPrefix("/") ? path : "/usr/bin/env")
        process.arguments = path.hasPrefix("/") ? arguments : [path] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let standardOutput = Pipe()
        // One pipe, and files for the rest: reading one pipe to its end could deadlock with another that fills up.
        let folder = try Folder()
        let (inputFile, errorsFile) = (folder.path + "/input", folder.path + "/errors")
        for (file, text) in [(inputFile, input), (errorsFile, "")] { try Data(text.utf8).write(to: URL(fileURLWithPath: file)) }
        process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: inputFile))
        process.standardOutput = place ?? standardOutput
        process.standardError = try mixesErrors ? standardOutput : FileHandle(forWritingTo: URL(fileURLWithPath: errorsFile))
        try process.run()
        output = place == nil ? String(decoding: standardOutput.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self) : ""
        process.waitUntilExit()
        errors = try String(contentsOfFile: errorsFile, encoding: .utf8)
        status = process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    }
}

/// Runs a program; returns its output, errors included, and its exit status, or the negative signal number.
package func run(_ program: String, _ arguments: [String], input: String = "") throws -> (output: String, status: Int32) {
    let ended = try Program(program, arguments, input: input, mixesErrors: true)
    return (ended.output, ended.status)
}

/// Returns whether the condition becomes true within `limit` seconds. The default allows for a busy machine.
package func eventually(_ limit: Double = 20, _ isTrue: () throws -> Bool) rethrows -> Bool {
    let end = Date(timeIntervalSinceNow: limit)
    while Date() < end {
        if try isTrue() { return true }
        usleep(3_000)
    }
    return try isTrue()
}
