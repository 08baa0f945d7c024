// A temporary directory of a test, which outlives the daemons that run in it.

import Foundation

/// A temporary directory; removed in `deinit`.
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
