// Commands typed by somebody at a terminal, one after the other.

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
        let editor = LineEditor(historyPath: try historyPath()) { [control] line in
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

    /// Without a history there is a console all the same.
    private func historyPath() throws(ControlError) -> String? {
        do throws(ControlError) {
            return try HistoryFile.path()
        } catch {
            try control.output.complain(error)
            return nil
        }
    }

    /// A password must not lie about in a file.
    private static func isSecret(_ words: [String]) -> Bool {
        words.prefix(2).contains { $0.uppercased() == "AUTH" }
            || words.contains { $0.uppercased() == "AUTH" && words[0].uppercased() == "HELLO" }
    }
}
