// The files of a daemon, as its operator reads them and as a crash leaves them.

import Foundation
import TestSupport

extension Folder {
    /// Returns the output of SQLite's shell. Pass `isReadOnly` while a daemon runs.
    @discardableResult
    func sql(_ statements: String, isReadOnly: Bool = false) throws -> String {
        try run("sqlite3", (isReadOnly ? ["-readonly"] : []) + [database, statements]).output
            .trimmingCharacters(in: .newlines)
    }

    /// All files of the data directory, byte for byte, without the lock and the mark.
    var contents: [String: Data] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: data)) ?? []
        let files = names.filter { $0 != "gamed.lock" && $0 != "gamed.mark" }.map {
            ($0, FileManager.default.contents(atPath: data + "/" + $0) ?? Data())
        }
        return Dictionary(uniqueKeysWithValues: files)
    }
}
