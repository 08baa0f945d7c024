// A test's own folder on disk, in which a daemon is started again and again.

import Foundation
import Testing

/// Removed with the last reference to it.
final class Folder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/gamed-kept-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: data)
        try? FileManager.default.removeItem(atPath: path)
    }

    var data: String { path + "/data" }
    var database: String { data + "/gamed.db" }
    var log: String { database + "-wal" }
    var socket: String { path + "/gamed.sock" }

    /// What SQLite's own shell says to this. For a daemon that has ended: while one runs, `-readonly` has to be asked for.
    @discardableResult
    func sql(_ statements: String, isReadOnly: Bool = false) throws -> String {
        try run("sqlite3", (isReadOnly ? ["-readonly"] : []) + [database, statements])
    }

    /// All files of the data directory, byte for byte; the lock and the mark are no part of what is kept.
    var contents: [String: Data] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: data)) ?? []
        let files = names.filter { $0 != "gamed.lock" && $0 != "gamed.mark" }.map {
            ($0, FileManager.default.contents(atPath: data + "/" + $0) ?? Data())
        }
        return Dictionary(uniqueKeysWithValues: files)
    }
}

/// What a program prints, errors included.
func run(_ program: String, _ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [program] + arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: text, as: UTF8.self).trimmingCharacters(in: .newlines)
}
