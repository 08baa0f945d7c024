import Glibc

/// An open file descriptor, closed when it is dropped.
struct Descriptor: ~Copyable {
    /// Below zero once it has been closed: no call does anything with that.
    private(set) var number: Int32

    init?(_ number: Int32) {
        guard number >= 0 else { return nil }
        self.number = number
    }

    deinit {
        if number >= 0 { Glibc.close(number) }
    }

    /// Closes it now, for an owner that others may still hold.
    mutating func close() {
        guard number >= 0 else { return }
        Glibc.close(number)
        number = -1
    }
}

extension Descriptor {
    /// Lets the process have as many open files as it may give itself: what a shell starts with is little.
    static func raiseLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < limit.rlim_max else {
            return
        }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
