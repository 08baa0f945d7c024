import Glibc

/// An open file descriptor, closed when it is dropped.
package struct Descriptor: ~Copyable {
    /// Below zero once it has been closed: no call does anything with that.
    package private(set) var number: Int32

    package init?(_ number: Int32) {
        guard number >= 0 else { return nil }
        self.number = number
    }

    deinit {
        if number >= 0 { Glibc.close(number) }
    }

    /// Closes it now, for an owner that others may still hold.
    package mutating func close() {
        guard number >= 0 else { return }
        Glibc.close(number)
        number = -1
    }
}

extension Descriptor {
    /// Calls on it return at once, and programs that are started do not inherit it.
    package borrowing func makeNonblocking() {
        _ = fcntl(number, F_SETFL, O_NONBLOCK)
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    }

    /// Lets the process have as many open files as it may give itself: what a shell starts with is little.
    package static func raiseLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < limit.rlim_max else {
            return
        }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
