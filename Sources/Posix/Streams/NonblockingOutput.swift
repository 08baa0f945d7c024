// A standard stream that never makes the loop wait, whatever is behind it and however slowly that reads.

import Glibc

/// Whether a descriptor waits is a property of the open file, which a terminal's other users share; so what can be opened anew is
/// written to through an opening of our own, which does not wait.
package final class NonblockingOutput {
    private enum Kind {
        /// Files take everything at once.
        case file
        case socket
        /// A pipe or a terminal that we have opened for ourselves.
        case ownOpening
        /// One that could not be opened: it is asked before whether it takes something.
        case shared
    }

    package let descriptor: Int32
    private let own: Descriptor?
    /// What to watch to learn when more is taken.
    package let watchable: Int32
    private let kind: Kind

    package init(descriptor: Int32) {
        self.descriptor = descriptor
        var info = stat()
        let type = fstat(descriptor, &info) == 0 ? info.st_mode & S_IFMT : S_IFREG
        // What is open for reading alone stays so: a standard stream that was closed takes nothing.
        guard type == S_IFIFO || type == S_IFCHR, fcntl(descriptor, F_GETFL) & O_ACCMODE != O_RDONLY else {
            own = nil
            watchable = descriptor
            kind = type == S_IFSOCK ? .socket : .file
            return
        }
        let opened = open("/proc/self/fd/\(descriptor)", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        own = Descriptor(opened)
        (watchable, kind) = opened < 0 ? (descriptor, .shared) : (opened, .ownOpening)
    }

    /// Writes what is taken at once and says how much that was; nil if nobody will ever take anything again.
    package func write(_ bytes: UnsafeRawBufferPointer) -> Int? {
        while true {
            let count = attempt(bytes)
            if count >= 0 { return count }
            if errno == EAGAIN { return 0 }
            guard errno == EINTR else { return nil }
        }
    }

    /// Writes all of it, or nothing but what had to be cut off in the middle.
    package func write(whole bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { write($0) } == bytes.count
    }

    private func attempt(_ bytes: UnsafeRawBufferPointer) -> Int {
        switch kind {
        case .file: return Glibc.write(descriptor, bytes.baseAddress, bytes.count)
        case .socket: return send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
        case .ownOpening: return Glibc.write(watchable, bytes.baseAddress, bytes.count)
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
