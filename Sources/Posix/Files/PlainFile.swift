// A file that a user has named, which must be a file and not something that never ends.

import Glibc

package enum PlainFile {
    /// Its bytes. If there are more than `most`, returns the first ones and at least one more, so that the caller can refuse them.
    package static func bytes(_ path: String, atMost most: Int) throws(FileError) -> [UInt8] {
        let reader = try PlainFileReader(path)
        var bytes: [UInt8] = []
        while bytes.count <= most, let part = try reader.next() { bytes += part }
        return bytes
    }
}

/// Reads such a file piece by piece.
package final class PlainFileReader: Sendable {
    /// The file's size when it was opened.
    package let size: Int
    private let path: String
    private let file: Descriptor

    package init(_ path: String) throws(FileError) {
        // Opening a FIFO must not block.
        guard let file = Descriptor(open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)) else {
            throw FileError("read", path, errno)
        }
        var info = stat()
        guard fstat(file.number, &info) == 0 else { throw FileError("read", path, errno) }
        guard info.st_mode & S_IFMT == S_IFREG else { throw FileError("read", path, reason: "it is no plain file") }
        self.file = file
        (self.path, size) = (path, Int(info.st_size))
    }

    /// The next 64 KiB, or what is left; nil at the end.
    package func next() throws(FileError) -> [UInt8]? {
        var part = [UInt8](repeating: 0, count: 65_536)
        var count = 0
        repeat { count = read(file.number, &part, part.count) } while count < 0 && errno == EINTR
        guard count >= 0 else { throw FileError("read", path, errno) }
        if count == 0 { return nil }
        part.removeLast(part.count - count)
        return part
    }
}

// MARK: - The contents of a folder that the user has named.

package enum FolderListing {
    /// The names in the folder; nil if there is no such folder.
    package static func names(in path: String) -> [String]? {
        guard let folder = opendir(path) else { return nil }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { place in
                place.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}

/// The path that a link leads to; nil if it cannot be read.
package func linkTarget(_ path: String) -> String? {
    // The system writes no zero at the end.
    var target = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    return readlink(path, &target, target.count - 1) > 0 ? String(systemText: target) : nil
}

/// Why a file cannot be read or written, in a sentence.
package struct FileError: Error, CustomStringConvertible {
    package let description: String
    /// The reason without the path: `Permission denied`.
    package let reason: String

    /// For a call that failed with this number.
    package init(_ what: String, _ path: String, _ number: Int32) {
        // From opening with O_NOFOLLOW.
        let reason = number == ELOOP ? "it is a symbolic link, which is not followed here" : systemErrorText(number)
        self.init(what, path, reason: reason)
    }

    package init(_ what: String, _ path: String, reason: String) {
        self.reason = reason
        description = "cannot \(what) \(path): \(reason)"
    }
}
