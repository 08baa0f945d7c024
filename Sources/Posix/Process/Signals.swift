// Which signals this thread takes, and those that it makes take after it.

import Glibc

package enum Signals {
    /// It waits until it is let through.
    package static func block(_ number: Int32) {
        var one = sigset_t()
        sigemptyset(&one)
        sigaddset(&one, number)
        sigprocmask(SIG_BLOCK, &one, nil)
    }

    /// All of them: a process inherits what its parent has blocked.
    package static func unblock() {
        var none = sigset_t()
        sigemptyset(&none)
        sigprocmask(SIG_SETMASK, &none, nil)
    }
}
