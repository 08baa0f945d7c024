// The replies about a backup: whether it has started, and how the last one ended.

import Foundation
import RESP
import Testing
import TestSupport

@Suite struct `The replies about a backup` {
    private let folder: Folder

    init() throws { folder = try Folder() }

    @Test func `BACKUP replies with the reason if the file cannot be created, and INFO has the status and the error`() throws {
        let daemon = try RunningDaemon(keepingIn: folder)
        try #require(daemon.waitUntilUp(), "\(daemon.errors)")
        #expect(try Self.report(daemon) == ["backup_status:none", "backup_error:"])
        let path = folder.path + "/no/copy.db"
        let refused = try daemon.ask("BACKUP \(path)")
        #expect(refused.isError && refused.sentence?.contains(path) == true, "\(refused)")
        let report = try Self.report(daemon)
        #expect(report.first == "backup_status:failed" && report.last?.contains(path) == true, "\(report)")
    }

    @Test func `A backup can follow a failed one at once, and INFO shows that it is done`() throws {
        let daemon = try RunningDaemon(keepingIn: folder)
        try #require(daemon.waitUntilUp(), "\(daemon.errors)")
        for _ in 0..<3 { _ = try daemon.ask("BACKUP \(folder.path)/no/copy.db") }
        #expect(try daemon.ask("BACKUP \(folder.path)/copy.db").text == "OK")
        #expect(try eventually { try Self.report(daemon) == ["backup_status:done", "backup_error:"] })
        #expect(try daemon.ask("BACKUP \(folder.path)/copy.db").sentence?.contains("already exists") == true)
    }

    @Test func `A backup is made on a file system without hard links, and replaces no file there`() throws {
        let machine = try FaultyMachine(folder)
        machine.faults.removeLinks()
        let daemon = try machine.start(["--session", "room=turns"])
        #expect(try daemon.ask("BACKUP \(folder.path)/copy.db").text == "OK")
        #expect(try eventually { try Self.report(daemon).first != "backup_status:running" })
        #expect(try Self.report(daemon) == ["backup_status:done", "backup_error:"])
        #expect(try daemon.ask("BACKUP \(folder.path)/copy.db").sentence?.contains("already exists") == true)
        // The session is in the log until the tables follow.
        let rows = "SELECT (SELECT count(*) FROM sessions) + (SELECT count(*) FROM log) > 0"
        let copy = try run("sqlite3", ["-readonly", folder.path + "/copy.db", rows])
        #expect(copy.output == "1\n", "\(copy)")
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/copy.db.part"))
    }

    private static func report(_ daemon: RunningDaemon) throws -> [String] {
        let lines = (try daemon.ask("INFO persistence").text ?? "").split(whereSeparator: \.isNewline)
        return lines.filter { $0.hasPrefix("backup_") }.map(String.init)
    }
}
