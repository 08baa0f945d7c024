// A file that a user has named, which must be a file and not something that never ends.

import Glibc

package enum PlainFile {
    /// Its bytes. If there are more than `most`, returns the first ones and at least one more, so that the caller can refuse them.
    package static func bytes(_ path: String, atMost most: Int) throws(FileError) -> [UInt8] {
        // Opening a FIFO must not block.
        guard let file = Descriptor(open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)) else {
            throw FileError("read", path, errno)
        }
        var info = stat()
        guard fstat(file.number, &info) == 0 else { throw FileError("read", path, errno) }
        guard info.st_mode & S_IFMT == S_IFREG else { throw FileError("read", path, reason: "it is no plain file") }
        var (bytes, part) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
        while bytes.count <= most {
            let count = read(file.number, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw FileError("read", path, errno) }
            if count == 0 { break }
            bytes += part[..<count]
        }
        return bytes
    }
}
