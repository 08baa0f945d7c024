// A standard stream that never blocks the loop, however slowly its reader reads.

import Glibc

/// O_NONBLOCK belongs to the open file description, which other processes share. So a pipe or a terminal is opened once more, without
/// blocking, and written to through that.
package final class NonblockingOutput {
    private enum Kind {
        /// A file, which takes everything at once, or a pipe or a terminal that was opened once more.
        case plain
        case socket
        /// One that could not be opened again: it is polled before each write.
        case shared
    }

    package let descriptor: Int32
    private let own: Descriptor?
    /// The descriptor to watch for more room.
    package let watchable: Int32
    private let kind: Kind

    package init(descriptor: Int32) {
        self.descriptor = descriptor
        let type = FileStatus(of: descriptor).map { $0.st_mode & S_IFMT } ?? S_IFREG
        // A descriptor that is open only for reading replaces a closed stream; writes to it fail.
        guard type == S_IFIFO || type == S_IFCHR, fcntl(descriptor, F_GETFL) & O_ACCMODE != O_RDONLY else {
            own = nil
            watchable = descriptor
            kind = type == S_IFSOCK ? .socket : .plain
            return
        }
        let opened = open("/proc/self/fd/\(descriptor)", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        own = Descriptor(opened)
        (watchable, kind) = opened < 0 ? (descriptor, .shared) : (opened, .plain)
    }

    /// Writes without waiting and returns the count; nil if the stream is closed for good.
    package func write(_ bytes: UnsafeRawBufferPointer) -> Int? {
        while true {
            let count = attempt(bytes)
            if count >= 0 { return count }
            if errno == EAGAIN { return 0 }
            guard errno == EINTR else { return nil }
        }
    }

    /// Whether all of it was written.
    package func write(whole bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { write($0) } == bytes.count
    }

    private func attempt(_ bytes: UnsafeRawBufferPointer) -> Int {
        switch kind {
        case .plain: return Glibc.write(watchable, bytes.baseAddress, bytes.count)
        case .socket: return send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
        case .shared:
            var question = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            guard poll(&question, 1, 0) > 0 else {
                errno = EAGAIN
                return -1
            }
            return Glibc.write(descriptor, bytes.baseAddress, min(bytes.count, Int(PIPE_BUF)))
        }
    }
}
