// The process itself: its open descriptors, the processor's time that it has taken, its threads and their signals.

import Glibc

/// How many descriptors the process has open, and may have.
package enum OpenDescriptors {
    /// Linux since 6.2 reports it as the directory's size; before, its entries are counted. Nil where there is no /proc.
    package static var count: Int? {
        guard let status = FileStatus(at: "/proc/self/fd") else { return nil }
        if status.st_size > 0 { return Int(status.st_size) }
        // The folder itself is among them while it is read.
        return FolderListing.names(in: "/proc/self/fd").map { $0.count - 1 }
    }

    package static var maxCount: Int? {
        var limit = rlimit()
        return getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 ? Int(clamping: limit.rlim_cur) : nil
    }

    /// Throws if fewer than `minCount` can still be opened.
    package static func checkFree(_ minCount: Int) throws(DescriptorError) {
        guard let maxCount, !areFree(minCount, of: maxCount) else { return }
        throw DescriptorError(
            description:
                "the limit of open files is \(maxCount), and a start needs more: raise it with ulimit -n, or LimitNOFILE= of the service"
        )
    }

    /// Whether a client may take one. The last ones are for the daemon's own work: libdispatch ends the process if it starts a thread without any.
    package static var areFreeForClients: Bool {
        maxCount.map { areFree(1 + min(32, $0 / 8), of: $0) } ?? true
    }

    private static func areFree(_ count: Int, of maxCount: Int) -> Bool {
        // The system gives the lowest free number.
        let next = open("/", O_RDONLY | O_CLOEXEC)
        guard next >= 0 else { return errno != EMFILE }
        close(next)
        return maxCount - Int(next) >= count
    }
}

package struct DescriptorError: Error, CustomStringConvertible {
    package let description: String
}

/// The processor's time that the process has taken.
package enum ProcessorTime {
    package static var seconds: Double {
        var usage = rusage()
        guard getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else { return 0 }
        let whole = Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
        return whole + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
    }
}

/// The signals that this thread, and threads that it creates, receive.
package enum Signals {
    /// A closed connection, or a file that may not grow, is an error of a write, and no signal. Programs that rotate logs send the others to every
    /// daemon.
    package static func ignoreInDaemon() {
        for number in [SIGPIPE, SIGXFSZ, SIGUSR1, SIGUSR2] { signal(number, SIG_IGN) }
    }

    /// A blocked signal stays pending until it is unblocked.
    package static func block(_ number: Int32) {
        var one = sigset_t()
        sigemptyset(&one)
        sigaddset(&one, number)
        sigprocmask(SIG_BLOCK, &one, nil)
    }

    /// Unblocks all signals: a process inherits those that its parent has blocked.
    package static func unblock() {
        var none = sigset_t()
        sigemptyset(&none)
        sigprocmask(SIG_SETMASK, &none, nil)
    }
}

/// Runs the closure on a new thread. False if the system has none.
package func startThread(_ body: @escaping @Sendable () -> Void) -> Bool {
    final class Work {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    let work = Unmanaged.passRetained(Work(body))
    var thread = pthread_t()
    let error = pthread_create(
        &thread, nil,
        { argument in
            argument.map { Unmanaged<Work>.fromOpaque($0).takeRetainedValue().body() }
            return nil
        }, work.toOpaque())
    guard error == 0 else {
        work.release()
        return false
    }
    pthread_detach(thread)
    return true
}
