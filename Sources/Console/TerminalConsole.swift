// The console on a terminal: keys in, a picture redrawn in place.

import Commands
import EventLoop
import Glibc
import Logging
import Posix
import Terminal
import Timers

final class TerminalConsole: ConsoleFace {
    /// How often a moving picture is redrawn, in milliseconds.
    private static let redrawMilliseconds = 100
    /// The cursor is only shown behind typed text.
    private static let (showCursor, hideCursor) = ("\u{1b}[?25h", "\u{1b}[?25l")

    private static let (clearBelow, clearLine) = ("\u{1b}[J", "\u{1b}[K")

    private unowned let console: Console
    private let host: Host
    private let terminal = TerminalMode(descriptor: STDIN_FILENO, .keys)
    private let style = Style.of(descriptor: STDOUT_FILENO)
    private let output = ConsoleOutput()
    private var keys = KeyReader()
    private var dialog = ConsoleDialog()
    private var watch: DescriptorWatch?
    private var redraw: Delay?
    private var signals: [SignalWatch] = []
    private var isRunning = false
    private var drawnFingerprint: Int?
    private var lastDrawn = Instant.zero
    private let clock = SystemClock()
    /// Lines of the picture above the cursor.
    private var height = 0
    private var logSink: Log.Sink?

    init(_ console: Console, _ host: Host) {
        self.console = console
        self.host = host
    }

    func start(on loop: Loop) throws {
        try output.start(on: loop, of: self)
        watch = try DescriptorWatch(STDIN_FILENO, .readable, on: loop) { [unowned self] in receive() }
        try watch?.start()
        redraw = try Delay(on: loop) { [unowned self] in draw() }
        signals = [
            try SignalWatch(SIGWINCH, on: loop) { [unowned self] in sizeChanged() },
            try SignalWatch(SIGTSTP, on: loop) { [unowned self] in suspend() },
            try SignalWatch(SIGCONT, on: loop) { [unowned self] in enter() },
        ]
        takeOverLog()
        isRunning = true
        enter()
    }

    func stop() {
        guard isRunning else { return }
        isRunning = false
        watch?.stop()
        redraw?.stop()
        signals = []
        if let logSink { host.log.sink = logSink }
        leave()
    }

    // MARK: The terminal

    private func enter() {
        terminal?.enter()
        draw()
    }

    private func leave() {
        output.write(Self.showCursor + "\n")
        terminal?.leave()
    }

    /// ctrl-z: restores the terminal for the shell.
    private func suspend() {
        leave()
        height = 0
        kill(getpid(), SIGSTOP)
    }

    private func sizeChanged() {
        // The terminal may have rewrapped the old picture.
        output.write("\u{1b}[H" + Self.clearBelow)
        height = 0
        draw()
    }

    /// If standard error is this terminal too, log lines go above the picture.
    private func takeOverLog() {
        guard isatty(STDERR_FILENO) == 1 else { return }
        logSink = host.log.sink
        host.log.sink = { [unowned self] line in
            guard output.write(erasing + String(decoding: line, as: UTF8.self)) else { return false }
            height = 0
            draw()
            return true
        }
    }

    // MARK: Keys

    private func receive() {
        var bytes = [UInt8](repeating: 0, count: 1_024)
        let count = read(STDIN_FILENO, &bytes, bytes.count)
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        // The terminal is gone.
        guard count > 0 else { return end() }
        for key in keys.read(bytes[..<count]) {
            guard let intent = dialog.press(key, seeing: console.picture) else { continue }
            dialog.complaint = console.perform(intent)
            // The keys behind it are dropped.
            if intent == .end { break }
        }
        drawnFingerprint = nil
    }

    private func end() {
        watch?.stop()
        _ = console.perform(.end)
    }

    func outputDidDrain() { draw() }

    func outputDidFail(_ error: StreamError) { _ = console.perform(.end) }

    // MARK: The picture

    func refuse(_ sentence: String) {
        dialog.complaint = sentence
        drawnFingerprint = nil
    }

    func refresh() {
        // Keys show at once; changes of sessions are rate-limited: the next redraw shows them.
        guard isRunning, drawnFingerprint == nil || redraw?.isRunning == false, drawnFingerprint != console.fingerprint else {
            return
        }
        let isSoon = lastDrawn.duration(to: clock.now) < .milliseconds(Self.redrawMilliseconds)
        if drawnFingerprint != nil, isSoon { redraw?.start(milliseconds: Self.redrawMilliseconds) } else { draw() }
    }

    private func draw() {
        guard isRunning, !output.isWaiting else { return }
        (drawnFingerprint, lastDrawn) = (console.fingerprint, clock.now)
        let picture = console.picture
        dialog.update(for: picture)
        let screen = ConsoleScreen(
            size: TerminalSize.of(descriptor: STDOUT_FILENO), glyphs: TerminalEncoding.isUTF8 ? .blocks : .ascii)
        let lines = screen.lines(picture, dialog)
        let cursor = dialog.isTyping ? Self.showCursor : Self.hideCursor
        let text = lines.map { style($0.text, $0.style) + Self.clearLine }.joined(separator: "\n")
        output.write(erasing + text + cursor)
        height = lines.count - 1
        // Redraws periodically while a visible clock runs, and only then.
        let moves = picture.isMoving && host.virtualClock == nil
        if moves { redraw?.start(milliseconds: Self.redrawMilliseconds) } else { redraw?.stop() }
    }

    /// Moves to the start of the picture and clears it.
    private var erasing: String {
        "\r" + (height > 0 ? "\u{1b}[\(height)A" : "") + Self.clearBelow
    }
}
