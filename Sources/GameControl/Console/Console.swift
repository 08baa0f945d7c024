// Commands typed by somebody at a terminal, one after the other.

import GameDaemon
import Glibc

struct Console {
    private let control: Control
    private let title: String

    init(_ control: Control, title: String) {
        self.control = control
        self.title = title
    }

    /// Until `quit` or ctrl-D. What is refused is said, and does not end it.
    func run() throws(ControlError) -> ControlStatus {
        _ = try control.connected()
        let editor = LineEditor(historyPath: HistoryFile.path()) { [control] line in
            Completion(from: LiveNames(control: control)).candidates(for: line)
        }
        try control.output.say("gamed at \(title). TAB completes, 'help' explains, ctrl-D ends.")
        while let line = editor.readLine("gamed> ") {
            do throws(ControlError) {
                guard let words = try CommandLine.words(of: line) else { continue }
                if !Self.isSecret(words) { editor.remember(line) }
                if CommandLine.isFarewell(words) { return .accepted }
                _ = try control.carryOut(words)
            } catch {
                if case .stream = error { throw error }
                try control.output.complain(error)
            }
        }
        try control.output.say("")
        return .accepted
    }

    /// A password must not lie about in a file.
    private static func isSecret(_ words: [String]) -> Bool {
        words.prefix(2).contains { $0.uppercased() == "AUTH" }
            || words.contains { $0.uppercased() == "AUTH" && words[0].uppercased() == "HELLO" }
    }
}

/// Where the lines of earlier consoles are kept.
enum HistoryFile {
    /// In the user's folder for such things, which is made if it is missing; nil where that cannot be.
    static func path() -> String? {
        guard let folder = folder(), make(folder) else { return nil }
        return folder + "/history"
    }

    private static func folder() -> String? {
        if let state = getenv("XDG_STATE_HOME"), state.pointee != 0 { return String(cString: state) + "/gamed" }
        guard let home = getenv("HOME"), home.pointee != 0 else { return nil }
        return String(cString: home) + "/.local/state/gamed"
    }

    private static func make(_ folder: String) -> Bool {
        if access(folder, W_OK) == 0 { return true }
        guard let slash = folder.lastIndex(of: "/"), slash != folder.startIndex else { return false }
        let parent = String(folder[..<slash])
        guard access(parent, F_OK) == 0 || make(parent) else { return false }
        return mkdir(folder, 0o700) == 0
    }
}
