// The file in which the console stores its history, and unsafe places for it.

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

    @Test func `The console keeps no history in a symbolic link or in a directory that others can write to`() throws {
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

    @Test(arguments: [
        ("AUTH token", true), ("auth ann token", true), ("HELLO 3 AUTH ann token", true), ("raw AUTH token", true),
        ("raw HELLO 3 AUTH ann token", true), ("raw -- hello 3 auth ann token", true), ("gamectl raw AUTH token", true),
        ("send room pass", false), ("raw HELLO 3", false),
    ])
    func `The console keeps no line with a token in its history`(line: String, isSecret: Bool) throws {
        let words = try #require(try InputLine.words(of: line))
        #expect(InputLine.isSecret(words) == isSecret)
    }

    @Test func `The console's history file must not be a symbolic link or a FIFO`() throws {
        let sentence = "no history is kept: \(folder)/history is not a regular file"
        #expect(try complaint { symlink("/etc/passwd", folder + "/history") } == sentence)
        #expect(try complaint { mkfifo(folder + "/history", 0o600) } == sentence)
    }
}
