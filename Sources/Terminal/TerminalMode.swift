// Owns the mode of a terminal's input, and puts the old one back however the process ends.

import Glibc
import Posix

package final class TerminalMode {
    package enum Input {
        /// Keys arrive one by one, without an echo. ctrl-c, ctrl-z and ctrl-s keep their meaning.
        case keys
        /// The same for a screen that polls: reading never waits.
        case polledKeys
        /// Whole lines, but ctrl-c is a key like any other.
        case linesWithoutInterrupt
    }

    private let descriptor: Int32
    private let input: Input
    private var isEntered = false

    /// The mode that a crash restores, when no object can be used. It is separately allocated: the compiler gives a static
    /// `termios()` three bytes less than it has.
    private nonisolated(unsafe) static let before = UnsafeMutablePointer<termios>.allocate(capacity: 1)
    private nonisolated(unsafe) static var changedDescriptor: Int32 = -1
    private static let crashes = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV]
    /// The signals' earlier actions, each at its number: those of the flight recorder and of the runtime, which prints backtraces.
    private nonisolated(unsafe) static let earlier = UnsafeMutablePointer<sigaction>.allocate(capacity: 65)

    /// Nil if the descriptor is not a terminal.
    package init?(descriptor: Int32, _ input: Input) {
        guard isatty(descriptor) == 1 else { return nil }
        self.descriptor = descriptor
        self.input = input
    }

    deinit {
        leave()
    }

    package func enter() {
        guard !isEntered, tcgetattr(descriptor, Self.before) == 0 else { return }
        var settings = Self.before.pointee
        input.apply(to: &settings)
        guard tcsetattr(descriptor, TCSANOW, &settings) == 0 else { return }
        (isEntered, Self.changedDescriptor) = (true, descriptor)
        for crash in Self.crashes {
            sigaction(crash, nil, Self.earlier + Int(crash))
            // With the earlier handler's mask, because this handler calls it; on its stack, because the thread's may be exhausted.
            var action = Self.earlier[Int(crash)]
            action.__sigaction_handler.sa_sigaction = Self.restoreAfterCrash
            action.sa_flags |= SA_SIGINFO | SA_ONSTACK
            sigaction(crash, &action, nil)
        }
    }

    package func leave() {
        guard isEntered else { return }
        isEntered = false
        Self.restore(TCSANOW)
        for crash in Self.crashes { sigaction(crash, Self.earlier + Int(crash), nil) }
    }

    private static func restore(_ when: Int32) {
        guard changedDescriptor >= 0 else { return }
        tcsetattr(changedDescriptor, when, before)
        changedDescriptor = -1
    }

    /// Does only what a signal handler may do. Calls the earlier handler, because a signal that is raised again does not have its sender.
    private static let restoreAfterCrash:
        @convention(c) (Int32, UnsafeMutablePointer<siginfo_t>?, UnsafeMutableRawPointer?) -> Void = { number, info, context in
            TerminalMode.restore(TCSANOW)
            let earlier = TerminalMode.earlier[Int(number)]
            sigaction(number, TerminalMode.earlier + Int(number), nil)
            if earlier.sa_flags & SA_SIGINFO != 0 { earlier.__sigaction_handler.sa_sigaction?(number, info, context) }
            // The instruction that caused a signal runs again. Other signals, and a breakpoint's, would not end the process.
            if number == SIGTRAP || info.map({ $0.pointee.si_code <= 0 }) ?? true { raise(number) }
        }
}

extension TerminalMode.Input {
    fileprivate func apply(to settings: inout termios) {
        switch self {
        case .keys: settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
        case .polledKeys:
            settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
            settings.set([VMIN: 0, VTIME: 0])
        case .linesWithoutInterrupt: settings.set([VINTR: 0])
        }
    }
}

extension termios {
    /// Sets control characters, by their indices.
    fileprivate mutating func set(_ characters: KeyValuePairs<Int32, UInt8>) {
        withUnsafeMutableBytes(of: &c_cc) { bytes in
            for (index, value) in characters { bytes[Int(index)] = value }
        }
    }
}

// MARK: - A terminal's capabilities: its size, and its characters.

package struct TerminalSize: Equatable, Sendable {
    package var columns = 80
    package var rows = 24

    package init(columns: Int = 80, rows: Int = 24) {
        self.columns = columns
        self.rows = rows
    }

    /// The size now; 80 by 24 if the terminal does not tell.
    package static func of(descriptor: Int32) -> TerminalSize {
        var window = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 else {
            return TerminalSize()
        }
        return TerminalSize(columns: Int(window.ws_col), rows: Int(window.ws_row))
    }
}

package enum TerminalKind {
    /// Whether the terminal only prints lines: it has no colours, and its cursor cannot be moved.
    package static var isDumb: Bool { environmentVariable("TERM") ?? "dumb" == "dumb" }
}

package enum TerminalEncoding {
    /// Whether the user's locale says UTF-8.
    package static var isUTF8: Bool {
        let names = ["LC_ALL", "LC_CTYPE", "LANG"]
        let locale = names.lazy.compactMap(environmentVariable).first
        return locale?.lowercased().replacing("-", with: "").contains("utf8") ?? false
    }
}
