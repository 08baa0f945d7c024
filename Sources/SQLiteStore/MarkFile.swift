// `gamed.mark`, mapped: to change the mark takes a few stores into memory and no system call. A process that is killed leaves in the
// file what it has stored.

import Glibc
import Store

/// The mark on disk. Without it everything works; only that something is missing at the end would not be noticed.
package final class MarkFile {
    static let name = "gamed.mark"
    private static let size = 4_096

    /// What the file said when it was opened.
    enum Found: Equatable {
        case nothing
        case mark(Mark)
        /// It is there, and cannot be understood.
        case unreadable
    }

    let found: Found
    private let path: String
    private var memory: UnsafeMutableRawPointer?
    private var turn: UInt64
    private(set) var mark: Mark

    /// Nothing is written yet.
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

    /// The beginning of the file, with zeros for what is not there.
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

    /// Makes room for the mark on disk, so that storing it cannot fail later. False if there is none: then there is no mark.
    func prepare() -> Bool {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        guard Self.fill(descriptor) else { return false }
        let mapped = mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        guard let mapped, mapped != MAP_FAILED else { return false }
        // A page that stays in memory is never read again, and so cannot fail to be.
        _ = mlock(mapped, Self.size)
        memory = mapped
        return true
    }

    /// A page that is mapped must be there.
    private static func fill(_ descriptor: Int32) -> Bool {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
        guard status.st_size < size else { return true }
        return posix_fallocate(descriptor, 0, off_t(size)) == 0
    }

    /// One slot is written while the other one says what was true before.
    func set(_ mark: Mark) {
        guard mark != self.mark || turn == 0 else { return }
        self.mark = mark
        turn += 1
        guard let memory else { return }
        let slot = UnsafeMutableRawBufferPointer(
            start: memory + Int(turn % 2) * MarkSlot.size, count: MarkSlot.size)
        MarkSlot(turn: turn, mark).write(to: slot)
    }

    /// What was acknowledged goes on.
    func change(_ change: (inout Mark) -> Void) {
        var mark = mark
        change(&mark)
        set(mark)
    }
}
