import Glibc

/// An open file descriptor, closed when it is released.
package struct Descriptor: ~Copyable {
    /// Below zero once it is closed, so that calls on it fail.
    package private(set) var number: Int32

    package init?(_ number: Int32) {
        guard number >= 0 else { return nil }
        self.number = number
    }

    deinit {
        if number >= 0 { Glibc.close(number) }
    }

    /// Closes it early, for an owner that may live on.
    package mutating func close() {
        guard number >= 0 else { return }
        Glibc.close(number)
        number = -1
    }

    /// Writes all of the bytes. False if that fails; the reason is in `errno`.
    package borrowing func write(all bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(number, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Makes calls on it return at once, and keeps child programs from inheriting it.
    package borrowing func makeNonblocking() {
        _ = fcntl(number, F_SETFL, O_NONBLOCK)
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    }

    /// Raises the limit of open files as far as the process may: a shell's default is low.
    package static func raiseLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < limit.rlim_max else {
            return
        }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
