// Owns libedit: a prompt, line editing, history, and completion.

import CEdit
import Glibc
import Terminal
import Texts

/// libedit is global, so there is one editor per process.
final class LineEditor {
    private static let maxHistory: Int32 = 1_000
    private let historyPath: String?
    /// Returns the candidates for the last word of the line, which is given up to the cursor.
    fileprivate let complete: (String) -> [String]
    private let mode = TerminalMode(descriptor: STDIN_FILENO, .linesWithoutInterrupt)

    init(historyPath: String?, complete: @escaping (String) -> [String]) {
        self.historyPath = historyPath
        self.complete = complete
        editor = self
        // libedit keeps the strings, so they are never freed.
        gamed_edit_set_up(strdup("gamectl"), { text, start, end in completions(text, start, end) }, strdup(" \t"))
        // Only once: a second call would reset all settings.
        rl_initialize()
        using_history()
        stifle_history(Self.maxHistory)
        if let historyPath { read_history(historyPath) }
        rl_parse_and_bind("bind ^C em-kill-line")
    }

    /// The bytes of the next line, in the terminal's encoding; nil at the end of the input.
    func readLine(_ prompt: String) -> [UInt8]? {
        // While a line is edited, ctrl-C is a key that clears it, as in a shell. libedit takes over the keys of the terminal.
        mode?.enter()
        defer { mode?.leave() }
        guard let line = readline(prompt) else { return nil }
        defer { free(line) }
        return Array(UnsafeRawBufferPointer(start: line, count: strlen(line)))
    }

    func remember(_ line: String) {
        if let last = gamed_edit_last(), String(cString: last) == line { return }
        add_history(line)
        // At once, so that the line is kept if the program is ended within the command.
        if let historyPath { write_history(historyPath) }
    }
}

/// libedit's callback has no context. Only the thread that edits lines touches this.
private nonisolated(unsafe) weak var editor: LineEditor?

/// In libedit's format: the common prefix, each candidate, and a null. libedit frees them.
private func completions(
    _ text: UnsafePointer<CChar>?, _ start: Int32, _ end: Int32
) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? {
    gamed_edit_found_all()
    guard let editor, let line = gamed_edit_line().flatMap(String.init(validatingCString:)) else { return nil }
    // libedit counts wide characters, not bytes.
    let words = editor.complete(String(line.unicodeScalars.prefix(max(0, Int(end)))))
    guard let common = words.commonPrefix else { return nil }
    let all = [common] + words
    let list = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: all.count + 1)
    for (index, word) in all.enumerated() { (list + index).initialize(to: strdup(word)) }
    (list + all.count).initialize(to: nil)
    return list
}
