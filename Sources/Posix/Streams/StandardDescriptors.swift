// The descriptors 0 to 2, which every program finds open, or should.

import Glibc

package enum StandardDescriptors {
    /// Fills those that whoever started the process has closed. To be called before anything is opened: what is opened first would
    /// become one of them, and a list of names printed to a socket is a list of commands.
    ///
    /// They are opened the wrong way around, as the GNU programs do it: reading and writing fail as on a descriptor that is closed,
    /// so that nothing is lost in /dev/null without a word.
    package static func fill() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            guard open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) == descriptor else { giveUp(descriptor) }
        }
    }

    private static func giveUp(_ descriptor: Int32) -> Never {
        let reason = systemErrorText(errno)
        try? StandardStream.error.say("descriptor \(descriptor) is closed, and /dev/null cannot be opened for it: \(reason)")
        exit(EX_OSERR)
    }
}
