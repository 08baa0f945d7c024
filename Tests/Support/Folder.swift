// A place of a test's own on disk, for whatever is started in it again and again.

import Foundation

/// Gone with the last reference to it.
package final class Folder: Sendable {
    package let path: String

    package init() throws {
        path = FileManager.default.temporaryDirectory.path + "/gamed-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        // A test may have made it unreadable.
        for part in [path, data] { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: part) }
        try? FileManager.default.removeItem(atPath: path)
    }

    package var data: String { path + "/data" }
    package var database: String { data + "/gamed.db" }
    package var log: String { database + "-wal" }
    package var socket: String { path + "/gamed.sock" }
}
