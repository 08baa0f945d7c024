// The UNIX socket's file, checked before connecting.

import Glibc
import Posix

/// The file as it stands there.
struct SocketFile {
    let path: String
    let mode: mode_t
    let owner: uid_t
    /// Of the folder that it is in.
    let folderMode: mode_t

    /// Nil without such a file.
    init?(at path: String) {
        var (file, folder) = (stat(), stat())
        guard lstat(path, &file) == 0 else { return nil }
        let parent = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        self.path = path
        (mode, owner) = (file.st_mode, file.st_uid)
        folderMode = stat(parent, &folder) == 0 ? folder.st_mode : 0
    }

    init(path: String, mode: mode_t, owner: uid_t, folderMode: mode_t) {
        (self.path, self.mode, self.owner, self.folderMode) = (path, mode, owner, folderMode)
    }

    var isSocket: Bool { mode & S_IFMT == S_IFSOCK }

    var findings: [Finding] {
        guard isSocket else {
            return [
                .bad("socket", "\(path) is no socket", "move it away, or start the daemon with another path: --socket PATH")
            ]
        }
        var findings: [Finding] = []
        if mode & 0o002 != 0 {
            findings.append(
                .doubtful(
                    "socket", "\(path) may be opened by every user; the daemon still refuses those who may not",
                    "chmod o-rwx \(path)"))
        }
        if folderMode & 0o002 != 0, folderMode & Self.sticky == 0 {
            findings.append(
                .bad(
                    "socket", "the folder of \(path) can be written by every user, who can put another socket in its place",
                    "chmod o-w the folder, or give the daemon a folder of its own with --socket PATH"))
        }
        return findings
    }

    /// Only a file's owner can remove it.
    private static let sticky: mode_t = 0o1000
}

extension Finding {
    /// Why no daemon can be reached, with what there is to see.
    static func unreachable(_ reason: String, _ file: SocketFile?, isLocal: Bool) -> Finding {
        guard isLocal else { return .bad("daemon", reason, "start it there, or look at the network between") }
        guard let file else {
            return .bad(
                "daemon", reason,
                "start it; where it does not start, gamed --check with its options says all that is wrong, and under systemd journalctl -u gamed"
            )
        }
        if access(file.path, R_OK | W_OK) != 0 {
            let owner = userName(of: file.owner) ?? "user \(file.owner)"
            return .bad("daemon", reason, "become \(owner), who runs it, or have \(owner) let you in")
        }
        return .bad(
            "daemon", reason,
            "if none runs, its socket was left behind, and the next start replaces it; if one runs, it hangs: journalctl -u gamed, then restart it"
        )
    }
}
