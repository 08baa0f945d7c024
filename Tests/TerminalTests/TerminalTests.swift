// Colours, the size of a terminal, and its mode, on a terminal of the test's own.

import Glibc
import Terminal
import Testing

@Suite struct `Colours` {
    @Test func `Colours are written only if they are enabled`() {
        #expect(Style(hasColours: true)("x", .bad) == "\u{1B}[31mx\u{1B}[0m")
        #expect(Style(hasColours: false)("x", .bad) == "x")
        #expect(Style(hasColours: true)("x", .plain) == "x")
        #expect(Style(hasColours: true)("", .bad) == "")
    }
}

@Suite struct `A descriptor that is no terminal` {
    @Test func `A descriptor that is no terminal has no colours, no mode and the default size`() throws {
        let descriptor = open("/dev/null", O_RDWR | O_CLOEXEC)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        #expect(!Style.of(descriptor: descriptor).hasColours)
        #expect(TerminalMode(descriptor: descriptor, .keys) == nil)
        #expect(TerminalSize.of(descriptor: descriptor) == TerminalSize(columns: 80, rows: 24))
    }
}

@Suite(.serialized) struct `A terminal` {
    /// The two ends of a pseudoterminal.
    private func withTerminal(_ body: (_ user: Int32, _ program: Int32) throws -> Void) throws {
        var (user, program): (Int32, Int32) = (-1, -1)
        try #require(openpty(&user, &program, nil, nil, nil) == 0)
        defer { for descriptor in [user, program] { close(descriptor) } }
        try body(user, program)
    }

    private struct Settings: Equatable {
        let local: tcflag_t
        let interrupt, suspend: UInt8

        init(_ descriptor: Int32) throws {
            var settings = termios()
            try #require(tcgetattr(descriptor, &settings) == 0)
            local = settings.c_lflag
            (interrupt, suspend) = withUnsafeBytes(of: settings.c_cc) { ($0[Int(VINTR)], $0[Int(VSUSP)]) }
        }

        func has(_ flag: Int32) -> Bool { local & tcflag_t(flag) != 0 }
    }

    @Test(arguments: [TerminalMode.Input.keys, .polledKeys, .linesWithoutInterrupt])
    func `A terminal's mode is restored on leaving, and when its owner is destroyed`(input: TerminalMode.Input) throws {
        try withTerminal { _, program in
            let before = try Settings(program)
            var mode = TerminalMode(descriptor: program, input)
            mode?.enter()
            #expect(try Settings(program) != before)
            mode?.leave()
            #expect(try Settings(program) == before)
            mode?.enter()
            mode = nil
            #expect(try Settings(program) == before)
        }
    }

    @Test func `A crash in key mode restores the terminal and calls the earlier handler, which leaving sets again`() throws {
        try withTerminal { _, program in
            let other = EarlierHandler.set(for: program)
            defer { EarlierHandler.set(other) }
            let before = try Settings(program)
            let mode = try #require(TerminalMode(descriptor: program, .keys))
            mode.enter()
            mode.leave()
            raise(SIGFPE)
            #expect(EarlierHandler.count == 1)

            _ = EarlierHandler.set(for: program)
            mode.enter()
            #expect(try Settings(program) != before)
            raise(SIGFPE)
            #expect(EarlierHandler.count == 2)
            #expect(EarlierHandler.sender == getpid() && EarlierHandler.local == before.local)
            mode.leave()
        }
    }

    @Test func `A terminal in key mode passes on each key at once, and ctrl-z still suspends`() throws {
        try withTerminal { user, program in
            let mode = try #require(TerminalMode(descriptor: program, .keys))
            mode.enter()
            #expect(try !Settings(program).has(ECHO) && Settings(program).suspend != 0)
            #expect(write(user, "q", 1) == 1)
            var byte: UInt8 = 0
            #expect(read(program, &byte, 1) == 1 && byte == UInt8(ascii: "q"))
        }
    }

    @Test func `A polled terminal never waits for a key`() throws {
        try withTerminal { _, program in
            let mode = try #require(TerminalMode(descriptor: program, .polledKeys))
            mode.enter()
            var byte: UInt8 = 0
            #expect(read(program, &byte, 1) == 0)
        }
    }

    @Test func `A terminal in line mode can pass on whole lines that contain ctrl-c`() throws {
        try withTerminal { user, program in
            let mode = try #require(TerminalMode(descriptor: program, .linesWithoutInterrupt))
            mode.enter()
            #expect(write(user, "a\u{3}b\n", 4) == 4)
            var bytes = [UInt8](repeating: 0, count: 8)
            #expect(read(program, &bytes, bytes.count) == 4 && bytes[1] == 3)
        }
    }

    @Test func `A terminal's size is that of its window`() throws {
        try withTerminal { user, program in
            var window = winsize(ws_row: 5, ws_col: 33, ws_xpixel: 0, ws_ypixel: 0)
            try #require(ioctl(user, UInt(TIOCSWINSZ), &window) == 0)
            #expect(TerminalSize.of(descriptor: program) == TerminalSize(columns: 33, rows: 5))
        }
    }
}

/// A handler of SIGFPE that gives the signal back when it is called, like the flight recorder's.
private enum EarlierHandler {
    private nonisolated(unsafe) static var terminal: Int32 = -1
    nonisolated(unsafe) static var count = 0
    nonisolated(unsafe) static var sender: pid_t = 0
    /// The terminal's local flags when the handler was called last.
    nonisolated(unsafe) static var local: tcflag_t = 0

    /// Returns the action before.
    static func set(for terminal: Int32) -> sigaction {
        self.terminal = terminal
        var (action, other) = (sigaction(), sigaction())
        action.__sigaction_handler.sa_sigaction = { number, info, _ in
            var settings = termios()
            tcgetattr(EarlierHandler.terminal, &settings)
            EarlierHandler.local = settings.c_lflag
            EarlierHandler.sender = info?.pointee._sifields._kill.si_pid ?? 0
            EarlierHandler.count += 1
            signal(number, SIG_IGN)
        }
        action.sa_flags = SA_SIGINFO
        sigaction(SIGFPE, &action, &other)
        return other
    }

    static func set(_ action: sigaction) {
        var action = action
        sigaction(SIGFPE, &action, nil)
    }
}
