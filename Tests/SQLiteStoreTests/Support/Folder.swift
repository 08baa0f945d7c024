// The files of a store, byte for byte.

import Foundation
import SQLiteStore
import Store
import TestSupport
import TinyJournal

extension Folder {
    /// The data directory as a crash would leave it now, in a folder of its own.
    func crashed() throws -> Folder {
        let copy = try Folder()
        try FileManager.default.createDirectory(atPath: copy.data, withIntermediateDirectories: true)
        for name in ["gamed.db", "gamed.db-wal", "gamed.lock", "gamed.mark"]
        where FileManager.default.fileExists(atPath: data + "/" + name) {
            try FileManager.default.copyItem(atPath: data + "/" + name, toPath: copy.data + "/" + name)
        }
        return copy
    }

    /// The sessions that are found in it.
    func states(_ durability: Durability = .always, capacity: Int = 500) throws -> [Int64: String] {
        try TinyJournal(data, durability, capacity: capacity).states
    }
}

/// A file's bytes and when they were last changed.
struct Snapshot: Equatable {
    let bytes: Data?
    let changed: Date?

    init(_ path: String) {
        bytes = FileManager.default.contents(atPath: path)
        changed = try? FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
    }
}

func write(_ bytes: Data, to path: String) throws {
    try bytes.write(to: URL(fileURLWithPath: path))
}

func bytes(of path: String) throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: path))
}
