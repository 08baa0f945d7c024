// `gamed.mark`, mapped into memory: changing the mark takes a few stores and no system call, and a killed process leaves in the file
// what it has stored.

import Glibc
import Store

/// The mark on disk. Without it everything works, but a loss at the log's end would go unnoticed.
package final class MarkFile {
    static let name = "gamed.mark"
    private static let size = 4_096

    /// What was in the file when it was opened.
    enum Contents: Equatable {
        case nothing
        case mark(Mark)
        /// The file exists, but its contents are invalid.
        case unreadable
    }

    let found: Contents
    private let path: String
    private var memory: UnsafeMutableRawPointer?
    private var turn: UInt64
    private(set) var mark: Mark

    /// Reads the file; nothing is written yet.
    init(in directory: String) throws(StoreError) {
        path = directory + "/" + Self.name
        let bytes = try Self.read(path)
        let slots = (0..<2).compactMap { index in
            bytes.withUnsafeBytes {
                MarkSlot(UnsafeRawBufferPointer(rebasing: $0[index * MarkSlot.size..<(index + 1) * MarkSlot.size]))
            }
        }
        let newest = slots.max { $0.turn < $1.turn }
        turn = newest?.turn ?? 0
        mark = newest?.mark ?? Mark()
        found = newest.map { .mark($0.mark) } ?? (bytes.contains { $0 != 0 } ? .unreadable : .nothing)
    }

    deinit {
        if let memory { munmap(memory, Self.size) }
    }

    /// The beginning of the file, padded with zeros.
    private static func read(_ path: String) throws(StoreError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: MarkSlot.size * 2)
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else {
            if errno == ENOENT { return bytes }
            throw .system(errno, "\(path) cannot be opened")
        }
        defer { close(descriptor) }
        guard pread(descriptor, &bytes, bytes.count, 0) >= 0 else { throw .system(errno, "\(path) cannot be read") }
        return bytes
    }

    /// Allocates the mark's page on disk and maps it, so that storing cannot fail later. False if that fails: then there is no mark.
    func prepare() -> Bool {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        guard Self.fill(descriptor) else { return false }
        let mapped = mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        guard let mapped, mapped != MAP_FAILED else { return false }
        // A locked page is never read from disk again, so no read can fail.
        _ = mlock(mapped, Self.size)
        memory = mapped
        return true
    }

    /// Allocates the page on disk: storing into a mapped hole of a full disk raises a signal.
    private static func fill(_ descriptor: Int32) -> Bool {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
        guard status.st_size < size else { return true }
        return posix_fallocate(descriptor, 0, off_t(size)) == 0
    }

    /// Writes one slot; the other still has the mark before.
    func set(_ mark: Mark) {
        guard mark != self.mark || turn == 0 else { return }
        self.mark = mark
        turn += 1
        guard let memory else { return }
        let slot = UnsafeMutableRawBufferPointer(
            start: memory + Int(turn % 2) * MarkSlot.size, count: MarkSlot.size)
        MarkSlot(turn: turn, mark).write(to: slot)
    }

    /// Changes some fields of the mark.
    func change(_ change: (inout Mark) -> Void) {
        var mark = mark
        change(&mark)
        set(mark)
    }
}
