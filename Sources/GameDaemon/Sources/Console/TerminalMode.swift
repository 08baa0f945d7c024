// A terminal that hands over keys as they are pressed, and is as it was when this ends: however the process ends.

import CEvent
import Glibc

/// Keys come one by one and are not shown, and the cursor is hidden. ctrl-c, ctrl-z and ctrl-s do what they always do.
final class TerminalMode {
    private let descriptor: Int32
    private(set) var isEntered = false

    /// What a crash has to put back, where no object can be asked. In memory of its own: to a static `termios()` the compiler gives
    /// three bytes less than it has, and whatever lies behind is overwritten.
    private nonisolated(unsafe) static let before = UnsafeMutablePointer<termios>.allocate(capacity: 1)
    private nonisolated(unsafe) static var isChanged = false
    private static let crashes = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV]

    init?(descriptor: Int32) {
        guard isatty(descriptor) == 1 else { return nil }
        self.descriptor = descriptor
    }

    deinit {
        leave()
    }

    func enter() {
        guard !isEntered, tcgetattr(descriptor, Self.before) == 0 else { return }
        var keys = Self.before.pointee
        keys.c_lflag &= ~tcflag_t(ICANON | ECHO)
        guard tcsetattr(descriptor, TCSADRAIN, &keys) == 0 else { return }
        (isEntered, Self.isChanged) = (true, true)
        for crash in Self.crashes { signal(crash, Self.restoreAfterCrash) }
    }

    func leave() {
        guard isEntered else { return }
        isEntered = false
        Self.putBack()
        for crash in Self.crashes { signal(crash, SIG_DFL) }
    }

    private static func putBack() {
        guard isChanged else { return }
        isChanged = false
        tcsetattr(STDIN_FILENO, TCSANOW, before)
    }

    /// Only what a signal handler may do.
    private static let restoreAfterCrash: @convention(c) (Int32) -> Void = { number in
        TerminalMode.putBack()
        signal(number, SIG_DFL)
        raise(number)
    }

    /// How large the terminal is; what terminals always were if it does not say.
    static func size(of descriptor: Int32) -> ConsoleScreen.Size {
        var window = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 else {
            return ConsoleScreen.Size()
        }
        return ConsoleScreen.Size(columns: Int(window.ws_col), rows: Int(window.ws_row))
    }
}
