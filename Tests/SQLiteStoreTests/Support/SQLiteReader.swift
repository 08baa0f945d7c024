// SQLite's own shell, as operators use it.

import Foundation
import TestSupport

/// Returns the output of the statements.
func sqlite(_ folder: Folder, _ sql: String) throws -> String {
    try run("sqlite3", ["-readonly", folder.database, sql]).output
}

/// A reader that keeps a transaction open.
final class SQLiteReader {
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
