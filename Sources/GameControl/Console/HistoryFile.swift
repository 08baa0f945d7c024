// The file that keeps the lines of earlier consoles.

import Client
import Glibc
import Posix

package enum HistoryFile {
    /// In the user's state directory, which is created if it is missing; nil if that fails.
    static func path() throws(ControlError) -> String? {
        guard let folder = folder(), make(folder) else { return nil }
        return try path(in: folder)
    }

    /// libedit opens the file by its path, and root may run with the home of another user. So the directory is opened once, must be
    /// writable by this user alone, and the path leads through its descriptor.
    package static func path(in folder: String) throws(ControlError) -> String {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0, let info = status(descriptor), info.st_uid == geteuid(), info.st_mode & 0o022 == 0 else {
            if descriptor >= 0 { close(descriptor) }
            throw .usage("no history is kept: \(folder) must be a directory that only you can write to")
        }
        guard isPlain("history", in: descriptor) else {
            close(descriptor)
            throw .usage("no history is kept: \(folder)/history is not a regular file")
        }
        return "/proc/self/fd/\(descriptor)/history"
    }

    /// A missing file is fine.
    private static func isPlain(_ name: String, in folder: Int32) -> Bool {
        let file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard file >= 0 else { return errno == ENOENT }
        defer { close(file) }
        return status(file).map { $0.st_mode & S_IFMT == S_IFREG } ?? false
    }

    private static func status(_ descriptor: Int32) -> stat? {
        var info = stat()
        return fstat(descriptor, &info) == 0 ? info : nil
    }

    private static func folder() -> String? {
        if let state = environmentVariable("XDG_STATE_HOME") { return state + "/gamed" }
        return environmentVariable("HOME").map { $0 + "/.local/state/gamed" }
    }

    private static func make(_ folder: String) -> Bool {
        if access(folder, F_OK) == 0 { return true }
        guard let slash = folder.lastIndex(of: "/"), slash != folder.startIndex else { return false }
        let parent = String(folder[..<slash])
        guard access(parent, F_OK) == 0 || make(parent) else { return false }
        return mkdir(folder, 0o700) == 0
    }
}
