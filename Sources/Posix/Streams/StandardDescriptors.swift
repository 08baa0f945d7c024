// Descriptors 0 to 2, which every program should find open.

import Glibc

package enum StandardDescriptors {
    /// Opens /dev/null for those that are closed. Called before anything else is opened: otherwise a socket could become standard
    /// output, and printed text would be sent as commands.
    ///
    /// They are opened in the wrong direction, as GNU programs do: reading and writing fail as on a closed descriptor, so that no
    /// output is silently lost in /dev/null.
    package static func fill() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            guard open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) == descriptor else {
                fail(closed: descriptor)
            }
        }
    }

    private static func fail(closed descriptor: Int32) -> Never {
        let reason = systemErrorText(errno)
        try? StandardStream.error.writeLine(
            "descriptor \(descriptor) is closed, and /dev/null cannot be opened for it: \(reason)")
        exit(EX_OSERR)
    }
}
