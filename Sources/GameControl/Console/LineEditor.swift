// The owner of libedit: a prompt, a line that can be edited, its history, and completion.

import CEdit
import Glibc

/// There is one terminal, and so there is one editor.
final class LineEditor {
    private static let mostHistory: Int32 = 1_000
    private let historyPath: String?

    /// `complete` is given the line up to the cursor, and says what its last word could become.
    init(historyPath: String?, complete: @escaping (String) -> [String]) {
        self.historyPath = historyPath
        completer = complete
        // The strings must outlive the editor, so they are given away.
        gamed_edit_set_up(strdup("gamectl"), { text, start, end in completions(text, start, end) }, strdup(" \t"))
        // Once: a second time would forget everything that is set up here.
        rl_initialize()
        using_history()
        stifle_history(Self.mostHistory)
        if let historyPath { read_history(historyPath) }
        rl_parse_and_bind("bind ^C em-kill-line")
    }

    deinit {
        completer = nil
    }

    /// The next line; nil at the end of the input.
    func readLine(_ prompt: String) -> String? {
        let before = keepInterrupts()
        defer { before.map(restore) }
        guard let line = readline(prompt) else { return nil }
        defer { free(line) }
        return String(cString: line)
    }

    /// While a line is edited, ctrl-C is a key that empties it, as in a shell, and does not end the program. libedit takes the
    /// terminal's keys as it finds them.
    private func keepInterrupts() -> termios? {
        var settings = termios()
        guard tcgetattr(0, &settings) == 0 else { return nil }
        let before = settings
        withUnsafeMutableBytes(of: &settings.c_cc) { $0[Int(VINTR)] = 0 }
        tcsetattr(0, TCSADRAIN, &settings)
        return before
    }

    private func restore(_ settings: termios) {
        var settings = settings
        tcsetattr(0, TCSADRAIN, &settings)
    }

    func remember(_ line: String) {
        if let last = gamed_edit_last(), String(cString: last) == line { return }
        add_history(line)
        // At once: whoever ends the program in the midst of a command still finds the line the next time.
        if let historyPath { write_history(historyPath) }
    }
}

/// libedit calls back with nothing that tells whose line it is. Only the thread that edits lines touches this.
private nonisolated(unsafe) var completer: ((String) -> [String])?

/// As libedit wants them: what they all begin with, then each of them, then nothing; it frees them.
private func completions(
    _ text: UnsafePointer<CChar>?, _ start: Int32, _ end: Int32
) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? {
    gamed_edit_found_all()
    guard let completer, let line = gamed_edit_line() else { return nil }
    let bytes = UnsafeRawBufferPointer(start: line, count: max(0, Int(end)))
    let words = completer(String(decoding: bytes, as: UTF8.self))
    guard let first = words.first else { return nil }
    let common = words.dropFirst().reduce(first) { $0.commonPrefix(with: $1) }
    let all = [common] + words
    let list = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: all.count + 1)
    for (index, word) in all.enumerated() { (list + index).initialize(to: strdup(word)) }
    (list + all.count).initialize(to: nil)
    return list
}

extension String {
    fileprivate func commonPrefix(with other: String) -> String {
        String(zip(self, other).prefix { $0 == $1 }.map(\.0))
    }
}
