// Where the console's lines are kept, and where they are not.

import Foundation
import Testing

@testable import Client
@testable import GameControl

@Suite struct `The console's history` {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "state-\(UUID().uuidString.prefix(8))").path

    private func complaint(_ prepare: () throws -> Void) throws -> String? {
        try #require(mkdir(folder, 0o700) == 0)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try prepare()
        do {
            _ = try HistoryFile.path(in: folder)
            return nil
        } catch {
            return error.sentence
        }
    }

    @Test func `The console keeps its history in a directory that only the user can access`() throws {
        #expect(try complaint {} == nil)
        #expect(
            try complaint { try "send a b\n".write(toFile: folder + "/history", atomically: false, encoding: .utf8) } == nil)
    }

    @Test func `The console keeps no history in a directory that others can write to, or that a link leads to`() throws {
        let sentence = "no history is kept: \(folder) must be a directory that only you can write to"
        #expect(try complaint { chmod(folder, 0o777) } == sentence)
        #expect(
            try complaint {
                try FileManager.default.removeItem(atPath: folder)
                symlink("/tmp", folder)
            } == sentence)
        guard geteuid() == 0 else { return }
        #expect(try complaint { chown(folder, 12_345, 12_345) } == sentence)
    }

    @Test func `The console's history follows no link, and waits for no pipe`() throws {
        let sentence = "no history is kept: \(folder)/history is not a regular file"
        #expect(try complaint { symlink("/etc/passwd", folder + "/history") } == sentence)
        #expect(try complaint { mkfifo(folder + "/history", 0o600) } == sentence)
    }
}
