// The paths that BACKUP accepts.

import Foundation
import RESP
import Testing
@testable import Commands

@Suite struct `The path of a backup` {
    private let folder = FileManager.default.temporaryDirectory.path

    @Test(arguments: ["a.db", "sub/gamed.db", "../gamed.db"])
    func `A backup's relative path is resolved in the data directory`(text: String) throws {
        #expect(try BackupPath(text, besides: folder).path == folder + "/" + text)
        #expect(try BackupPath("/x/gamed.db", besides: folder).path == "/x/gamed.db")
    }

    @Test(arguments: ["", "a/", "a\0b", "gamed.db-journal", "./gamed.db", "gamed.lock", String(repeating: "x", count: 5_000)])
    func `A backup's path is refused if it is malformed or could be one of the store's own files`(text: String) {
        #expect(throws: CommandError.self) { try BackupPath(text, besides: folder) }
    }
}
