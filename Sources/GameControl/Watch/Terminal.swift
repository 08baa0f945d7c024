// The terminal while it shows a screen: taken over, drawn on without flicker, and given back as it was.

import Glibc
import Synchronization

final class Terminal {
    private static let enter = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[2J"
    private static let leave = "\u{1B}[?25h\u{1B}[?1049l"
    /// Set by a signal that asks the program to end.
    private static let isEnding = Atomic(false)

    /// What can be typed; nil where nobody can.
    let input: Int32?
    private let output: Output
    private var before = termios()
    private var shown: [String] = []
    private var shownSize = (width: 0, height: 0)

    init(_ output: Output) throws(ControlError) {
        self.output = output
        input = isatty(0) == 1 ? 0 : nil
        Self.isEnding.store(false, ordering: .relaxed)
        if input != nil {
            tcgetattr(0, &before)
            var raw = before
            raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
            // Stopped in the background, the screen would be left to the shell as it is.
            withUnsafeMutableBytes(of: &raw.c_cc) { bytes in
                bytes[Int(VSUSP)] = 0
                bytes[Int(VMIN)] = 0
                bytes[Int(VTIME)] = 0
            }
            tcsetattr(0, TCSADRAIN, &raw)
        }
        for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
            signal(number) { _ in Terminal.isEnding.store(true, ordering: .relaxed) }
        }
        try output.put(Self.enter)
    }

    deinit {
        try? output.put(Self.leave)
        if input != nil { tcsetattr(0, TCSADRAIN, &before) }
        for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] { signal(number, SIG_DFL) }
    }

    var isEnding: Bool { Self.isEnding.load(ordering: .relaxed) }

    /// Columns and lines, now.
    var size: (width: Int, height: Int) {
        var size = winsize()
        guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return (80, 24) }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// What has been typed.
    func typed() -> String {
        guard let input else { return "" }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = read(input, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : ""
    }

    /// Draws the lines that are not there already.
    func draw(_ lines: [String]) throws(ControlError) {
        let size = size
        var text = ""
        if size != shownSize {
            text = "\u{1B}[2J"
            shown = []
        }
        let lines = Array(lines.prefix(size.height))
        for row in 0..<max(lines.count, shown.count) {
            let line = row < lines.count ? lines[row] : ""
            guard row >= shown.count || shown[row] != line else { continue }
            text += "\u{1B}[\(row + 1);1H\(line)\u{1B}[K"
        }
        (shown, shownSize) = (lines, size)
        if !text.isEmpty { try output.put(text) }
    }
}
