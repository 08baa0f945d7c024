// BACKUP: copies the database while the daemon runs.

import Glibc
import Posix
import RESP
import Sessions
import Texts
import Timers

extension Command {
    package static let backup = Command(
        name: "BACKUP", group: .service, needs: .reads(.everything),
        summary: "Starts a backup of all sessions and their history; without a path, shows the state of the last one.",
        details: """
            With a path, the reply is OK once the file is created; the backup contains everything acknowledged before. A \
            relative path is relative to the data directory. An existing file is never replaced. Requires a master, like \
            CONFIG SET. Without a path, the reply is a map: path, status (none, running, done or failed), error, progress \
            (of 100), bytes, took_ms; INFO has the status and the error, too. Errors: BUSY, a backup is running; JOURNAL, \
            nothing is saved; BACKUP, the file cannot be created, or sessions are stored in a database, which has its own \
            backups. To restore a backup, start the daemon with a new data directory that contains it as gamed.db.
            """,
        examples: ["BACKUP /var/backups/gamed-monday.db", "BACKUP"],
        Form { call throws(CommandError) in try call.host.savingPersistence().backup }, Form(BackupRequest.self))
}

package struct BackupRequest: CommandRequest {
    let path: String

    package static let form = CommandForm(
        needs: .administers, .required("path", .text, "target file on the daemon's machine", member: "file")
    ) { BackupRequest(path: $0) }
    package static var command: Command { .backup }

    package func answer(to call: Call) throws(CommandError) -> CommandAnswer<EncodedReply> {
        let persistence = try call.host.savingPersistence()
        if let reason = persistence.backupUnavailableReason { throw CommandError(.backupFailed, reason) }
        if call.host.isLoading, let unavailability = call.host.unavailability { throw unavailability }
        return .later(try begin(BackupPath(path, besides: persistence.directory), persistence))
    }

    private func begin(
        _ path: BackupPath, _ persistence: any SessionPersistence
    ) throws(CommandError) -> PendingValue<EncodedReply> {
        var isFree = true
        let start = PendingValue<EncodedReply> { answer in
            isFree = persistence.beginBackup(to: path.path) { failure in
                answer(failure.map { .failure(CommandError(.backupFailed, $0)) } ?? .success(.ok))
            }
        }
        guard isFree else { throw CommandError(.busy, "a backup is already running; BACKUP shows its progress") }
        return start
    }
}

extension Host {
    fileprivate func savingPersistence() throws(CommandError) -> any SessionPersistence {
        guard let persistence else {
            throw CommandError(.journal, "nothing is saved here: the daemon was started with --data none or --durability none")
        }
        return persistence
    }
}

extension BackupReport: MapValue {
    package func write(to map: inout MapWriter) {
        map.field("path", status == .none ? nil : path)
        map.field("status", status.rawValue)
        map.field("error", error)
        map.field("progress", Int(progress * 100))
        map.field("bytes", bytes)
        map.field("took_ms", took.milliseconds)
    }
}

/// A path that a backup may be written to.
struct BackupPath {
    let path: String

    init(_ text: String, besides directory: String) throws(CommandError) {
        guard !text.isEmpty, !text.utf8.contains(0), text.utf8.count < PATH_MAX - 16, !text.hasSuffix("/") else {
            throw CommandError(.generic, "'\(text.shortened)' is not a file name")
        }
        path = text.hasPrefix("/") ? text : directory + "/" + text
        // SQLite would take such a file for a part of the database.
        guard !Self.isAmongOwn(path, directory) else {
            throw CommandError(.generic, "file names that begin with gamed. belong to the daemon in \(directory); give another")
        }
    }

    private static func isAmongOwn(_ path: String, _ directory: String) -> Bool {
        guard let name = path.split(separator: "/").last, name.hasPrefix("gamed."),
            let parent = FileIdentity(at: String(path.dropLast(name.count)))
        else { return false }
        return parent == FileIdentity(at: directory)
    }
}
