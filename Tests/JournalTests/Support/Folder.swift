// What is in the folder of a daemon, as its operator and a crash see it.

import Foundation
import TestSupport

extension Folder {
    /// What SQLite's own shell says to this. For a daemon that has ended: while one runs, `-readonly` has to be asked for.
    @discardableResult
    func sql(_ statements: String, isReadOnly: Bool = false) throws -> String {
        try run("sqlite3", (isReadOnly ? ["-readonly"] : []) + [database, statements]).output
            .trimmingCharacters(in: .newlines)
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
