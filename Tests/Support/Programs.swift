// Programs that tests start: paths of this build, and runs to the end.

import Foundation

/// The directory of this build's programs, without the link `.build/debug`: each build makes it anew, and packages are built while tests run.
package let productsDirectory: URL = {
    let ownProgram = URL(fileURLWithPath: CommandLine.arguments[0])
    let candidates = [ownProgram.deletingLastPathComponent(), Bundle.main.bundleURL, URL(fileURLWithPath: ".build/debug")]
    let hasPrograms = { (folder: URL) in
        ["gamed", "store-probe"].contains { FileManager.default.isExecutableFile(atPath: folder.appending(path: $0).path) }
    }
    return (candidates.first(where: hasPrograms) ?? candidates[2]).resolvingSymlinksInPath()
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
        let folder = try Folder()
        let file = URL(fileURLWithPath: folder.path + "/input")
        try Data(input.utf8).write(to: file)
        let program = try RunningProgram(
            path, arguments, input: FileHandle(forReadingFrom: file), output: place, mixesErrors: mixesErrors,
            environment: environment)
        status = program.waitWithoutLimit()
        output = place == nil ? program.said : ""
        errors = program.errors
    }
}

/// Runs a program; returns its output, errors included, and its exit status, or the negative signal number.
package func run(_ program: String, _ arguments: [String], input: String = "") throws -> (output: String, status: Int32) {
    let ended = try Program(program, arguments, input: input, mixesErrors: true)
    return (ended.output, ended.status)
}

/// Returns the writing end of a pipe without a reader. It is a FIFO because `open` sets O_CLOEXEC atomically:
/// programs that other tests start meanwhile must not inherit it.
package func pipeWithoutReader() throws -> FileHandle {
    let path = FileManager.default.temporaryDirectory.appending(path: "pipe-\(UUID().uuidString)").path
    guard mkfifo(path, 0o600) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    defer { unlink(path) }
    let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    defer { close(reader) }
    return FileHandle(fileDescriptor: open(path, O_WRONLY | O_CLOEXEC), closeOnDealloc: true)
}

/// Seconds within which all must happen that a test waits for. The machine may be very busy, and only a test that fails waits that long.
package let waitLimit = 120.0

/// Returns whether the condition becomes true within `limit` seconds.
package func eventually(within limit: Double = waitLimit, _ isTrue: () throws -> Bool) rethrows -> Bool {
    let end = Date(timeIntervalSinceNow: limit)
    while Date() < end {
        if try isTrue() { return true }
        usleep(3_000)
    }
    return try isTrue()
}
