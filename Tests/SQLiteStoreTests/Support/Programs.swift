// Other programs that tests start: the store probe, and SQLite's own shell.

import Foundation
import TestSupport

/// A store in another process, which can be killed.
final class Probe {
    let process: RunningProgram
    private let input = Pipe()
    private let output = Pipe()

    init(_ environment: [String: String] = [:]) throws {
        process = try RunningProgram(
            productsDirectory.appending(path: "store-probe").path, [], input: input, output: output, environment: environment)
        // A killed process must not kill the test that writes to it.
        signal(SIGPIPE, SIG_IGN)
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
    func killIt() { process.killIt() }

    var wasKilled: Bool { process.waitForStatus() == -SIGKILL }
}

/// SQLite's own shell, as operators use it.
func sqlite(_ folder: Folder, _ sql: String) throws -> String {
    try run("sqlite3", ["-readonly", folder.database, sql]).output
}

/// A reader that keeps a transaction open.
final class Reader {
    private let shell: RunningProgram
    private let input = Pipe()
    private let output = Pipe()

    init(_ folder: Folder) throws {
        shell = try RunningProgram("sqlite3", ["-readonly", folder.database], input: input, output: output)
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
