// The interactive console: commands typed at a terminal.

import Client

struct Console {
    private let context: CommandContext
    private let runLine: LineAction
    private var output: Output { context.output }

    init(_ context: CommandContext, run: @escaping LineAction) {
        self.context = context
        runLine = run
    }

    /// Reads commands until `quit` or ctrl-D. A refused command does not end it.
    func run() throws(ControlError) -> ControlStatus {
        try context.daemon.connect()
        let editor = LineEditor(historyPath: try historyPath()) { [context] line in
            Completion(of: context.subcommands, from: LiveNames(daemon: context.daemon)).candidates(for: line)
        }
        try output.writeLine("gamed at \(context.daemon.address). TAB completes, 'help' explains, ctrl-D ends.")
        while let line = editor.readLine("gamed> ") {
            do throws(ControlError) {
                guard let words = try InputLine.words(of: line) else { continue }
                if !Self.isSecret(words) { editor.remember(line) }
                if InputLine.isQuit(words) { return .accepted }
                _ = try runLine(words)
            } catch {
                if case .stream = error { throw error }
                try output.complain(error)
            }
        }
        try output.writeLine("")
        return .accepted
    }

    /// The console works without a history too.
    private func historyPath() throws(ControlError) -> String? {
        do throws(ControlError) {
            return try HistoryFile.path()
        } catch {
            try output.complain(error)
            return nil
        }
    }

    /// A token must not be written to the history file.
    private static func isSecret(_ words: [String]) -> Bool {
        words.prefix(2).contains { $0.uppercased() == "AUTH" }
            || words.contains { $0.uppercased() == "AUTH" && words[0].uppercased() == "HELLO" }
    }
}
