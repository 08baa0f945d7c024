// The terminal while it shows a full screen: drawn without flicker, and given back as it was.

import Client
import Glibc
import Synchronization
import Terminal

final class FullScreen {
    private static let enter = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[2J"
    private static let leave = "\u{1B}[?25h\u{1B}[?1049l"
    private static let endSignals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
    /// Set by a signal that asks the program to end.
    private static let isEnding = Atomic(false)

    /// Where keys are typed; nil if standard input is not a terminal.
    let input: Int32?
    private let mode: TerminalMode?
    private let output: Output
    private var keys = KeyReader()
    private var shown: [String] = []
    private var shownSize = TerminalSize(columns: 0, rows: 0)

    init(_ output: Output) throws(ControlError) {
        self.output = output
        mode = TerminalMode(descriptor: STDIN_FILENO, .polledKeys)
        input = mode == nil ? nil : STDIN_FILENO
        Self.isEnding.store(false, ordering: .relaxed)
        mode?.enter()
        for number in Self.endSignals {
            signal(number) { _ in FullScreen.isEnding.store(true, ordering: .relaxed) }
        }
        // It only has to end a wait.
        signal(SIGWINCH) { _ in }
        try output.write(Self.enter)
    }

    deinit {
        try? output.write(Self.leave)
        mode?.leave()
        for number in Self.endSignals + [SIGWINCH] { signal(number, SIG_DFL) }
    }

    var isEnding: Bool { Self.isEnding.load(ordering: .relaxed) }

    var size: TerminalSize { .of(descriptor: STDOUT_FILENO) }

    /// The keys since the last call.
    func typedKeys() -> [Key] {
        guard let input else { return [] }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = read(input, &bytes, bytes.count)
        return count > 0 ? keys.read(bytes[..<count]) : []
    }

    /// Draws the lines that differ from the screen.
    func draw(_ lines: [String]) throws(ControlError) {
        let size = size
        var text = ""
        if size != shownSize {
            text = "\u{1B}[2J"
            shown = []
        }
        let lines = Array(lines.prefix(size.rows))
        for row in 0..<max(lines.count, shown.count) {
            let line = row < lines.count ? lines[row] : ""
            guard row >= shown.count || shown[row] != line else { continue }
            text += "\u{1B}[\(row + 1);1H\(line)\u{1B}[K"
        }
        (shown, shownSize) = (lines, size)
        if !text.isEmpty { try output.write(text) }
    }
}
