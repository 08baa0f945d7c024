// Other programs that tests start: the store probe, and SQLite's own shell.

import Foundation
import TestSupport

/// A store in another process, which can be killed.
final class Probe {
    let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    init(_ environment: [String: String] = [:]) throws {
        process.executableURL = productsDirectory.appending(path: "store-probe")
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        // A killed process must not kill the test that writes to it.
        signal(SIGPIPE, SIG_IGN)
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }

    /// Returns the reply, or nil if the process has died.
    @discardableResult
    func ask(_ line: String) -> String? {
        guard (try? input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))) != nil else { return nil }
        var answer = Data()
        while let byte = try? output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty {
            if byte == Data([10]) { return String(decoding: answer, as: UTF8.self) }
            answer += byte
        }
        return nil
    }

    /// Returns the reply to each line; nil from the line on at which the process died.
    func ask(all lines: [String]) -> [String?] { lines.map { ask($0) } }

    func open(_ folder: Folder, _ durability: String = "always", capacity: Int = 100) -> String? {
        ask("open \(folder.data) \(durability) \(capacity)")
    }

    /// Kills the process.
    func killIt() {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    var wasKilled: Bool {
        process.waitUntilExit()
        return process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL
    }
}

/// SQLite's own shell, as operators use it.
func sqlite(_ folder: Folder, _ sql: String) throws -> String {
    try run("sqlite3", ["-readonly", folder.database, sql]).output
}

/// A reader that keeps a transaction open.
final class Reader {
    private let shell = Process()
    private let input = Pipe()
    private let output = Pipe()

    init(_ folder: Folder) throws {
        shell.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        shell.arguments = ["sqlite3", "-readonly", folder.database]
        shell.standardInput = input
        shell.standardOutput = output
        try shell.run()
    }

    deinit {
        try? input.fileHandleForWriting.close()
        shell.waitUntilExit()
    }

    /// Returns the result of the statements, which must be one line.
    func ask(_ sql: String) throws -> String {
        try input.fileHandleForWriting.write(contentsOf: Data((sql + "\n").utf8))
        var answer = Data()
        while let byte = try output.fileHandleForReading.read(upToCount: 1), byte != Data([10]), !byte.isEmpty {
            answer += byte
        }
        return String(decoding: answer, as: UTF8.self)
    }
}
