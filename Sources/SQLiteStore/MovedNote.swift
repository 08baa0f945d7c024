// The file that says that a directory's sessions live somewhere else now.

import Glibc
import Posix
import Store

/// `gamed.moved`. While it is there, no daemon starts on the directory: its sessions would live twice.
struct MovedNote {
    static let name = "gamed.moved"
    private static let maxLength = 4_096

    let path: String

    init(in directory: String) { path = directory + "/" + Self.name }

    /// Where the sessions are now; nil if there is no note.
    var place: String? {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return errno == ENOENT ? nil : "" }
        defer { close(descriptor) }
        let text = [UInt8](unsafeUninitializedCapacity: Self.maxLength) { buffer, count in
            count = max(0, read(descriptor, buffer.baseAddress, Self.maxLength))
        }
        return String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    /// Throws if there is a note, unless it names this place.
    func check(unless expected: String? = nil) throws(StoreError) {
        guard let place, place != expected else { return }
        let there = place.isEmpty ? "somewhere else" : "to \(place)"
        throw StoreError(
            .unusable,
            "the sessions were moved \(there), as \(path) says, and would live twice; where no daemon has them there any more, delete "
                + "that file to start here again")
    }

    /// Writes it, so that it is on disk when this returns.
    func write(_ place: String) throws(StoreError) {
        let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .system(errno, "\(path) cannot be written") }
        defer { close(descriptor) }
        let line = place + "\n"
        guard Glibc.write(descriptor, line, line.utf8.count) == line.utf8.count, fsync(descriptor) == 0 else {
            throw .system(errno, "\(path) cannot be written")
        }
        try Schema.syncDirectory(of: path)
    }

    func remove() { unlink(path) }
}
