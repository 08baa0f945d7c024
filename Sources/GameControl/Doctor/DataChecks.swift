// The data directory, and the disk that it is on.

import Glibc
import Posix
import Texts

/// A folder as it stands there, and its file system.
package struct DataFacts: Equatable {
    package var path: String
    package var mode: mode_t = 0o700
    package var freeBytes = 0
    package var totalBytes = 0
    package var freeFiles = 0
    package var totalFiles = 0
    /// The system's name for it: `ext4`.
    package var fileSystem = ""
    /// Of the newest changes, which are not in the database itself yet.
    package var logBytes = 0
    /// Damaged files that a start has kept.
    package var damagedCopies = 0
}

extension DataFacts {
    /// Nil if there is no such folder, or it may not be looked at. `process` is the folder in /proc of one that has other files at this path.
    init?(at path: String, of process: String? = nil) {
        let place = process.map { "\($0)/root\(path)" } ?? path
        var space = statvfs()
        guard let info = FileStatus(at: place), statvfs(place, &space) == 0 else { return nil }
        self.path = path
        mode = info.st_mode & 0o777
        (freeBytes, totalBytes) = (Self.bytes(space.f_bavail, space.f_frsize), Self.bytes(space.f_blocks, space.f_frsize))
        (freeFiles, totalFiles) = (Int(clamping: space.f_favail), Int(clamping: space.f_files))
        let mounts = ProcessFacts.text("\(process ?? "/proc/self")/mountinfo")
        fileSystem = mounts.flatMap { Self.fileSystem(of: info.st_dev, in: $0) } ?? ""
        if let log = FileStatus(at: place + "/gamed.db-wal") { logBytes = Int(log.st_size) }
        damagedCopies =
            FolderListing.names(in: place)?.count {
                $0.hasPrefix("gamed.db-wal.damaged-")
                    || $0.hasPrefix("gamed.db.damaged-") && !$0.contains("-wal") && !$0.contains("-shm")
            } ?? 0
    }

    /// Some file systems report the largest number of blocks that there is.
    static func bytes(_ blocks: UInt, _ blockSize: UInt) -> Int { Int(clamping: UInt128(blocks) * UInt128(blockSize)) }

    /// By the device, since the path may lead over symbolic links. proc(5) has the fields of a mount.
    static func fileSystem(of device: dev_t, in mounts: String) -> String? {
        let (major, minor) = (device >> 8 & 0xFFF | device >> 32 & 0xFFFF_F000, device & 0xFF | device >> 12 & 0xFFFF_FF00)
        for line in mounts.split(whereSeparator: \.isNewline) {
            let words = line.split(separator: " ")
            guard words.count > 2, words[2] == "\(major):\(minor)" else { continue }
            return words.drop { $0 != "-" }.dropFirst().first.map(String.init)
        }
        return nil
    }

    var findings: [Finding] { [permissions, space, files, system, log, copies].compactMap(\.self) }

    private var permissions: Finding {
        guard mode & 0o077 == 0 else {
            return .doubtful("data", "\(path) is open to other users", "chmod 700 \(path.shellWord)")
        }
        return .good("data", "only the daemon's user can enter \(path)")
    }

    /// The log and the backup need room beside the database.
    private var space: Finding {
        let words = "\(freeBytes.bytesWritten) of \(totalBytes.bytesWritten) are free"
        let advice =
            "free some space, or move \(path) to a larger disk; on a full disk, the daemon refuses changes"
        if freeBytes < 16 << 20 { return .bad("disk", words, advice) }
        if freeBytes < 256 << 20 || freeBytes < totalBytes / 50 { return .doubtful("disk", words, advice) }
        return .good("disk", words)
    }

    /// Not every file system counts them.
    private var files: Finding? {
        guard totalFiles > 0, freeFiles < 100 else { return nil }
        return .bad(
            "disk", "\(freeFiles) more files fit on the disk of \(path)", "delete small files there")
    }

    private var system: Finding? {
        let remote = ["nfs", "nfs4", "cifs", "smb3", "9p", "ceph", "glusterfs", "fuse.sshfs", "fuse.glusterfs"]
        guard remote.contains(fileSystem) else { return nil }
        return .bad(
            "disk", "\(path) is on a network file system (\(fileSystem)), whose locks and syncs are unsafe for a database",
            "stop the daemon, move it to a local disk, and start with --data DIR")
    }

    private var log: Finding? {
        guard logBytes > 1 << 30 else { return nil }
        return .doubtful(
            "disk", "gamed.db-wal has grown to \(logBytes.bytesWritten)",
            "end the program that keeps a read transaction open, such as a forgotten sqlite3")
    }

    private var copies: Finding? {
        guard damagedCopies > 0 else { return nil }
        return .doubtful(
            "data", "a start has kept damaged files (gamed.db.damaged-…, gamed.db-wal.damaged-…)",
            "delete them when you no longer need them")
    }
}

extension Finding {
    /// Without a daemon, of this machine's directory.
    static func data(at path: String) -> [Finding] {
        DataFacts(at: path)?.findings ?? [.unreadableData(path, systemErrorText(errno))]
    }

    /// Of the daemon's directory, as its process finds it: a container has other files at the same path.
    static func data(at path: String, of process: ProcessFacts) -> [Finding] {
        guard let folder = process.folderOfDaemon else {
            // A directory seen from here may still be the daemon's; its absence proves nothing.
            return DataFacts(at: path)?.findings ?? [
                .doubtful(
                    "data", "cannot look into the daemon's \(path): its process is another user's, or in a container",
                    "run gamectl doctor there, as the daemon's user or as root")
            ]
        }
        if let facts = DataFacts(at: path, of: folder) { return facts.findings }
        guard errno == ENOENT else { return [.unreadableData(path, systemErrorText(errno))] }
        return [
            .bad(
                "data", "\(path) is gone: changes are lost or refused",
                "move it back, or restart gamed to begin with an empty one")
        ]
    }

    private static func unreadableData(_ path: String, _ reason: String) -> Finding {
        .doubtful("data", "\(path) cannot be read (\(reason))", "run gamectl doctor as the daemon's user")
    }
}
