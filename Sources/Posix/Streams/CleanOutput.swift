// Standard output, kept for what the program itself reports: what other code prints meanwhile goes to standard error.

import Glibc

/// While it lives, descriptor 1 is standard error, and only `put` reaches standard output.
package final class CleanOutput {
    private let real: Descriptor

    /// Nil if no descriptor is left for it.
    package init?() {
        fflush(nil)
        guard let real = Descriptor(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)) else { return nil }
        self.real = real
        dup2(STDERR_FILENO, STDOUT_FILENO)
    }

    deinit {
        fflush(nil)
        dup2(real.number, STDOUT_FILENO)
    }

    /// Text printed earlier comes before it, if both go to one place.
    package func write(_ text: String) throws(StreamError) {
        fflush(nil)
        try StandardStream.output.write(text, into: real.number)
    }
}
