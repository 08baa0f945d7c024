// The socket of systemd's journal, which takes entries with fields of our own.

import Glibc
import Posix

package final class JournalSocket {
    package static let usualPath = "/run/systemd/journal/socket"

    private let address: UnixAddress
    private let descriptor: Descriptor

    /// Nil if there is no journal there.
    package init?(path: String = JournalSocket.usualPath) {
        guard access(path, W_OK) == 0, let address = try? UnixAddress(path: path),
            let descriptor = Descriptor(socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0))
        else { return nil }
        self.address = address
        self.descriptor = descriptor
    }

    /// Never waits; false if the entry could not be handed over. Entries have some kilobytes at most, and fit into a datagram.
    package func send(_ entry: JournalEntry) -> Bool { address.send(entry.bytes, from: descriptor) == 0 }
}

/// Whether systemd's journal reads what this process writes to standard error.
package enum JournalStream {
    /// `JOURNAL_STREAM` names device and file: a program that redirects standard error passes the variable on all the same.
    package static func isStandardError(_ value: (String) -> String? = { environmentVariable($0) }) -> Bool {
        guard let stream = value("JOURNAL_STREAM"), let info = FileStatus(of: STDERR_FILENO) else { return false }
        return stream == "\(info.st_dev):\(info.st_ino)"
    }

    /// The journal's own socket, if it reads standard error: a socket, as it always is under systemd.
    package static func socket() -> JournalSocket? {
        guard isStandardError(), let info = FileStatus(of: STDERR_FILENO), info.isSocket else { return nil }
        return JournalSocket()
    }
}

// MARK: - An entry of systemd's journal as bytes: fields, each a name and a value

package struct JournalEntry {
    private(set) var bytes: [UInt8] = []

    package init() {}

    /// `NAME=value`, or where the value has line ends its length before it. Names are upper-case letters, digits and underscores.
    package mutating func add(_ name: StaticString, _ value: String) {
        let value = Array(value.utf8)
        name.withUTF8Buffer { bytes += $0 }
        if value.contains(UInt8(ascii: "\n")) {
            bytes.append(UInt8(ascii: "\n"))
            withUnsafeBytes(of: UInt64(value.count).littleEndian) { bytes += $0 }
        } else {
            bytes.append(UInt8(ascii: "="))
        }
        bytes += value
        bytes.append(UInt8(ascii: "\n"))
    }
}
