// A data directory as one end of a move.

import Glibc
import Posix
import Store

package final class DirectoryMove: StoreMoving {
    /// The database's files, and those beside it.
    private static let files = [
        "gamed.db", "gamed.db-wal", "gamed.db-shm", "gamed.db-journal", "gamed.db.new", "gamed.db.new-wal", "gamed.db.new-shm",
        "gamed.db.new-journal", "gamed.lock", "gamed.mark",
    ]
    /// Nothing is deleted while it is moved.
    private static let historyCapacity = 1 << 40

    private let sqlite: SQLiteStore
    /// Where a target is to be. Until everything is in it, it has another name.
    private let destination: String?
    private let note: MovedNote

    package var store: any Store { sqlite }
    package let shards = [Shard.only]

    /// The source. `boot` identifies this boot of the machine. A move to this place may have been cut off before.
    package init(from directory: String, boot: String, resumingTo place: String?) throws(StoreError) {
        guard try SQLiteStore.check(directory: directory, resumingTo: place, isOurs: { _ in false }) else {
            throw StoreError(
                .unusable, "\(directory) has no database of gamed: --import takes the directory that a daemon had as --data")
        }
        note = MovedNote(in: DataDirectory.plain(directory))
        sqlite = try SQLiteStore(
            directory: directory, durability: .everysec, historyCapacity: Self.historyCapacity, boot: boot, resumingTo: place)
        destination = nil
    }

    /// The target, which is not there yet, or empty.
    package init(to directory: String) throws(StoreError) {
        let path = DataDirectory.plain(directory)
        try Self.checkIsEmpty(path)
        let part = path + ".part"
        try Self.clear(part)
        try Self.checkCanBeReplaced(path, by: part)
        sqlite = try SQLiteStore(directory: part, durability: .everysec, historyCapacity: Self.historyCapacity)
        destination = path
        note = MovedNote(in: part)
    }

    private static func checkIsEmpty(_ path: String) throws(StoreError) {
        guard let names = try names(in: path), !names.isEmpty else { return }
        throw StoreError(.unusable, "\(path) has files already: --export makes a new data directory; give it another name")
    }

    /// Replaces an empty directory by another one, as the move does at its end: a mount point or a link cannot be replaced.
    private static func checkCanBeReplaced(_ path: String, by part: String) throws(StoreError) {
        guard FileStatus(at: path, followingLinks: false) != nil else { return }
        guard mkdir(part, 0o700) == 0 || errno == EEXIST else { throw .system(errno, "cannot create the directory \(part)") }
        guard rename(part, path) == 0 else {
            let reason = systemErrorText(errno)
            rmdir(part)
            throw StoreError(
                .unusable,
                "--export replaces the directory \(path), and the system does not allow that: \(reason); name one that does "
                    + "not exist, such as \(path)/sessions")
        }
    }

    /// Removes the files of an interrupted move.
    private static func clear(_ part: String) throws(StoreError) {
        guard let names = try names(in: part) else { return }
        if let other = names.first(where: { !files.contains($0) }) {
            throw StoreError(
                .unusable, "\(part) is in the way: it has '\(other)' in it, which --export did not make; move it away")
        }
        let locked = try DataDirectory(part)
        // Also the lock file, which may be new.
        for name in files { unlink(part + "/" + name) }
        _ = consume locked
    }

    /// Nil if there is no such directory.
    private static func names(in path: String) throws(StoreError) -> [String]? {
        let names = FolderListing.names(in: path)
        guard names != nil || errno == ENOENT else { throw .system(errno, "\(path) cannot be checked") }
        return names
    }

    /// Of the database.
    package var identity: Int64 {
        get throws(StoreError) { try sqlite.number(Meta.identity) ?? 0 }
    }

    // MARK: StoreMoving

    /// One of two is set aside.
    package func checkNames() throws(StoreError) {
        let twice = try Statement(
            "SELECT name FROM sessions GROUP BY name HAVING count(*) > 1 LIMIT 1", on: sqlite.opened.connection)
        guard let name = try twice.first({ $0.text(0)?.string }) else { return }
        throw StoreError(
            .unusable,
            "two sessions are called '\(name.prefix(64))', one of them set aside, and a database has one of a name: drop one of them first"
        )
    }

    package func countSessions() throws(StoreError) -> Int {
        Int(try sqlite.opened.connection.number("SELECT count(*) FROM sessions") ?? 0)
    }

    package func loadHistory(_ body: (_ shard: Int, HistoryBlock) throws -> Void) throws {
        try sqlite.load(sessions: { _ in }, history: { try body(Shard.only.number, $0) }, log: { _, _ in })
    }

    package func markMoved(to place: String) throws(StoreError) { try note.write(place) }

    /// A store that is closed is one file.
    package func open() throws(StoreError) {
        guard let destination else { return }
        try sqlite.close()
        let part = destination + ".part"
        guard rename(part, destination) == 0 else { throw .system(errno, "\(part) cannot be renamed to \(destination)") }
        try Schema.syncDirectory(of: destination)
    }

    package func end() throws(StoreError) { try sqlite.close() }

    package func abort() {
        guard destination != nil else { return note.remove() }
        let part = sqlite.directory
        sqlite.abandon()
        try? Self.clear(part)
        rmdir(part)
    }
}

// MARK: - The file that marks a directory whose sessions were moved

/// `gamed.moved`. While it is there, no daemon starts on the directory: its sessions would live twice.
struct MovedNote {
    static let name = "gamed.moved"

    let path: String

    init(in directory: String) { path = directory + "/" + Self.name }

    /// Where the sessions are now: nil if there is no note, empty if it cannot be read.
    var place: String? {
        do throws(FileError) {
            return try SmallFile(path, mustBePlain: true).text().map { String($0.prefix { $0 != "\n" }) }
        } catch {
            // Without a note, the reason is another one, such as too many open files, and opening the database reports it.
            return access(path, F_OK) != 0 && errno == ENOENT ? nil : ""
        }
    }

    /// Throws if there is a note, unless it names this place.
    func check(unless expected: String?) throws(StoreError) {
        guard let place, place != expected else { return }
        let there = place.isEmpty ? "somewhere else" : "to \(place)"
        throw StoreError(
            .unusable,
            "the sessions were moved \(there), as \(path) says, and would exist twice; if no daemon uses them there, delete "
                + "that file to start here again")
    }

    /// Writes it, so that it is on disk when this returns. After a crash it has the place, or is not there.
    func write(_ place: String) throws(StoreError) {
        do throws(FileError) {
            try SmallFile(own: path).replace(with: place + "\n")
        } catch {
            throw StoreError(.failed, error.description)
        }
        // The daemon's user reads it, also where root has moved the sessions.
        guard geteuid() == 0, let folder = FileStatus(at: parentDirectory(of: path)) else { return }
        lchown(path, folder.st_uid, folder.st_gid)
    }

    func remove() { unlink(path) }
}
