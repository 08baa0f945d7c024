// A program in a process of its own, beside the test.

import Foundation

/// Runs until it ends or is killed, at the latest in `deinit`.
package final class RunningProgram {
    private let process = Process()
    private let outputFile: URL
    private let errorsFile: URL
    private let lines: FileHandle
    private var unread = Data()
    /// Of the files, if nobody else owns the folder that they are in.
    private let folder: Folder?

    /// Starts the program at the path or in PATH. `input`, `output` and `errors` are files or pipes, as `Process` takes them. By default it reads
    /// nothing, and writes to two files whose paths begin with `files`, or that are in a folder of their own. Other processes may inherit the writing
    /// end of a pipe and so keep it open after the program's end.
    package init(
        _ path: String, _ arguments: [String], input: Any? = nil, output: Any? = nil, errors: Any? = nil,
        mixesErrors: Bool = false, environment: [String: String] = [:], files: String? = nil
    ) throws {
        folder = files == nil ? try Folder() : nil
        let files = files ?? folder.map { $0.path + "/" } ?? ""
        (outputFile, errorsFile) = (URL(fileURLWithPath: files + "said.txt"), URL(fileURLWithPath: files + "errors.txt"))
        let (said, complained) = (try Self.newFile(outputFile), try Self.newFile(errorsFile))
        lines = try FileHandle(forReadingFrom: outputFile)
        process.executableURL = URL(fileURLWithPath: path.hasPrefix("/") ? path : "/usr/bin/env")
        process.arguments = path.hasPrefix("/") ? arguments : [path] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = input ?? FileHandle.nullDevice
        process.standardOutput = output ?? said
        process.standardError = errors ?? (mixesErrors ? said : complained)
        try process.run()
        for file in [said, complained] { try file.close() }
    }

    private static func newFile(_ place: URL) throws -> FileHandle {
        try Data().write(to: place)
        return try FileHandle(forWritingTo: place)
    }

    deinit {
        killIt()
    }

    package var processID: Int32 { process.processIdentifier }
    package var isRunning: Bool { process.isRunning }

    // MARK: Output

    /// The standard output so far.
    package var said: String { (try? String(contentsOf: outputFile, encoding: .utf8)) ?? "" }
    /// The standard error so far.
    package var errors: String { (try? String(contentsOf: errorsFile, encoding: .utf8)) ?? "" }

    /// Waits for the next line on standard output; nil after the program has ended.
    package func readLine() -> String? {
        while true {
            let hasEnded = !process.isRunning
            unread += (try? lines.readToEnd()) ?? Data()
            if let end = unread.firstIndex(of: 10) {
                defer { unread = Data(unread[(end + 1)...]) }
                return String(decoding: unread[..<end], as: UTF8.self)
            }
            if hasEnded {
                defer { unread = Data() }
                return unread.isEmpty ? nil : String(decoding: unread, as: UTF8.self)
            }
            usleep(2_000)
        }
    }

    /// Waits for the text on standard error.
    package func complains(_ text: String) -> Bool { waitForText(text, in: errorsFile) }

    /// The same on standard output.
    package func says(_ text: String) -> Bool { waitForText(text, in: outputFile) }

    // MARK: Stopping

    package func signal(_ number: Int32) { if isRunning { kill(processID, number) } }

    /// Sends SIGKILL and waits for the end.
    package func killIt() {
        signal(SIGKILL)
        process.waitUntilExit()
    }

    /// Sends SIGTERM and waits. Returns the exit status, or the signal's number below zero.
    @discardableResult
    package func stop() -> Int32 {
        signal(SIGTERM)
        return waitForStatus()
    }

    /// Waits for the end. Returns the exit status, or the signal's number below zero. After `waitLimit` it kills the program and returns `Int32.min`.
    package func waitForStatus() -> Int32 {
        guard eventually({ !process.isRunning }) else {
            killIt()
            return .min
        }
        return status
    }

    /// Waits for the end, as above. Returns the standard error and the status.
    package func waitForEnd() -> (errors: String, status: Int32) {
        let status = waitForStatus()
        return (errors, status)
    }

    /// Waits for the end as long as it takes. Returns the status, as above.
    package func waitWithoutLimit() -> Int32 {
        process.waitUntilExit()
        return status
    }

    private var status: Int32 {
        process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    }
}
