// BACKUP: a copy of everything, made while the daemon runs.

import Glibc
import RESP
import Sessions
import Texts
import Timers

extension Command {
    package static let backup: Command = Command(
        name: "BACKUP", group: .service,
        syntax: "BACKUP [path]",
        summary: "Begins a copy of all sessions and their history; without a path, tells how the last one stands.",
        details: """
            With a path, the reply is OK as soon as it has begun: everything that was acknowledged before is in it. A path that \
            does not begin with / counts from the data directory. A file that is there is never replaced. It needs a trusted client, \
            as CONFIG SET does. Without a path, the reply is a map: path, status (none, running, done or \
            failed), error, progress (of 100), bytes, took_ms. BUSY says that one is under way, JOURNAL that nothing is kept. \
            To start from a backup, make it the gamed.db of a new directory.
            """,
        examples: ["BACKUP /var/backups/gamed-monday.db", "BACKUP"],
        words: 1...2, administers: [Administration(word: nil, deed: "backups are begun")]
    ) { call throws(CommandError) in
        guard let persistence = call.host.persistence else {
            throw CommandError("JOURNAL", "nothing is kept here: gamed was started with --data none")
        }
        guard call.count == 2 else { return append(persistence.backup, to: call.reply) }
        if call.host.isLoading, let trouble = call.host.trouble { throw trouble }
        let path = try BackupPlace(call.text(1), besides: persistence.directory).path
        guard persistence.beginBackup(to: path) else {
            throw CommandError("BUSY", "a backup is under way already; BACKUP tells how far it is")
        }
        call.reply.append(.ok)
    }

    private static func append(_ report: BackupReport, to reply: ReplyBuffer) {
        reply.append(mapOf: 6)
        reply.append(bulk: "path")
        reply.append(bulkOrNull: report.status == .none ? nil : report.path)
        reply.append(bulk: "status")
        reply.append(bulk: report.status.rawValue)
        reply.append(bulk: "error")
        reply.append(bulkOrNull: report.error)
        for (name, value) in [
            ("progress", Int(report.progress * 100)), ("bytes", report.bytes), ("took_ms", report.took.milliseconds),
        ] {
            reply.append(bulk: name)
            reply.append(integer: value)
        }
    }
}

/// Where a backup may be put.
struct BackupPlace {
    let path: String

    init(_ text: String, besides directory: String) throws(CommandError) {
        guard !text.isEmpty, !text.utf8.contains(0), text.utf8.count < PATH_MAX - 16, !text.hasSuffix("/") else {
            throw CommandError("ERR", "'\(text.shortened)' is no name for a file")
        }
        path = text.hasPrefix("/") ? text : directory + "/" + text
        // SQLite would take a file of such a name for a part of the database.
        guard !Self.isAmongOwn(path, directory) else {
            throw CommandError("ERR", "names that begin with gamed. are the daemon's own in \(directory); give another")
        }
    }

    private static func isAmongOwn(_ path: String, _ directory: String) -> Bool {
        let parts = path.split(separator: "/", omittingEmptySubsequences: true)
        guard let name = parts.last, name.hasPrefix("gamed.") else { return false }
        return sameFolder(String(path.dropLast(name.count)), directory)
    }

    private static func sameFolder(_ left: String, _ right: String) -> Bool {
        var (first, second) = (stat(), stat())
        guard stat(left, &first) == 0, stat(right, &second) == 0 else { return false }
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino
    }
}
