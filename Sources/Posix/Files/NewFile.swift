// A newly created file, which never replaces another.

import Glibc

package enum NewFile {
    /// Writes a file that others may read. Throws if there is one of that name.
    package static func write(_ text: String, to path: String) throws(FileError) {
        guard let file = Descriptor(open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)) else {
            if errno == EEXIST { throw FileError("write", path, reason: "it is there already, and is not replaced") }
            throw FileError("write", path, errno)
        }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file.number, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw FileError("write", path, errno) }
            rest = rest.dropFirst(count)
        }
    }

    /// Whether something of that name is there.
    package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }
}
