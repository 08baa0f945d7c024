// A socket that systemd listens at for a service that is stopped: a client that connects starts it.

import Posix

package enum WaitingSocket {
    /// Whether systemd alone has the socket at this path open. False if this process may not find out: only root may.
    package static func isPresent(at path: String, proc: String = "/proc") -> Bool {
        guard firstLine(of: proc + "/1/comm") == "systemd", let number = number(at: path, proc) else { return false }
        let processes = (FolderListing.names(in: proc) ?? []).filter { $0.allSatisfy(\.isWholeNumber) }
        return processes.filter { has($0, "socket:[\(number)]", proc) } == ["1"]
    }

    /// Of the socket that listens there.
    private static func number(at path: String, _ proc: String) -> Substring? {
        let sockets = text(of: proc + "/net/unix") ?? ""
        for line in sockets.split(separator: "\n") {
            // Num RefCount Protocol Flags Type St Inode Path
            let words = line.split(separator: " ", maxSplits: 7)
            if words.count == 8, words[3] == listening, words[7] == path { return words[6] }
        }
        return nil
    }

    /// The kernel's flag of a socket that accepts connections.
    private static let listening = "00010000"

    private static func has(_ process: String, _ socket: String, _ proc: String) -> Bool {
        let folder = "\(proc)/\(process)/fd"
        return (FolderListing.names(in: folder) ?? []).contains { linkTarget("\(folder)/\($0)") == socket }
    }

    private static func firstLine(of path: String) -> Substring? { text(of: path)?.split(separator: "\n").first }

    private static func text(of path: String) -> String? { try? SmallFile(path, atMost: 64 << 20).text() }
}
