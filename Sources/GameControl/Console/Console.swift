// The interactive console: commands typed at a terminal.

import Client
import Glibc
import Posix
import RESP
import Texts

struct Console {
    /// How long TAB waits for a reply.
    private static let timeout = Duration.seconds(1)
    let context: CommandContext
    private var output: Output { context.output }

    /// Reads commands until `quit` or ctrl-D. A refused command does not end it.
    func run() throws(ControlError) -> ControlStatus {
        try context.daemon.connect()
        let names = LiveNames(daemon: context.daemon.copy(timeout: Self.timeout))
        let editor = LineEditor(historyPath: try historyPath()) { [context] line in
            names.daemon.closeIfLost()
            return Completion(of: context.subcommands, from: names).candidates(for: line)
        }
        try output.writeLine("gamed at \(context.daemon.address). TAB completes, 'help' explains, ctrl-D ends.")
        while let bytes = editor.readLine("gamed> ") {
            do throws(ControlError) {
                let line = try InputLine.text(of: bytes)
                guard let words = try InputLine.words(of: line) else { continue }
                if !InputLine.isSecret(words) { editor.remember(line) }
                if InputLine.isQuit(words) { return .accepted }
                _ = try context.runLine(words)
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
}

// MARK: - The file that keeps the lines of earlier consoles

package enum HistoryFile {
    /// In the user's state directory, which is created if it is missing; nil if that fails.
    static func path() throws(ControlError) -> String? {
        guard let folder = folder(), make(folder) else { return nil }
        return try path(in: folder)
    }

    /// libedit opens the file by its path, and root may run with the home of another user. So the directory is opened once, must be
    /// writable by this user alone, and the path leads through its descriptor.
    package static func path(in folder: String) throws(ControlError) -> String {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0, let info = FileStatus(of: descriptor), info.st_uid == geteuid(), info.st_mode & 0o022 == 0 else {
            if descriptor >= 0 { close(descriptor) }
            throw .usage("no history is kept: \(folder) must be a directory that only you can write to")
        }
        guard isPlain("history", in: descriptor) else {
            close(descriptor)
            throw .usage("no history is kept: \(folder)/history is not a regular file")
        }
        return "/proc/self/fd/\(descriptor)/history"
    }

    /// A missing file is fine.
    private static func isPlain(_ name: String, in folder: Int32) -> Bool {
        let file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard file >= 0 else { return errno == ENOENT }
        defer { close(file) }
        return FileStatus(of: file)?.isFile ?? false
    }

    private static func folder() -> String? {
        if let state = environmentVariable("XDG_STATE_HOME") { return state + "/gamed" }
        return environmentVariable("HOME").map { $0 + "/.local/state/gamed" }
    }

    private static func make(_ folder: String) -> Bool {
        if access(folder, F_OK) == 0 { return true }
        guard let slash = folder.lastIndex(of: "/"), slash != folder.startIndex else { return false }
        let parent = String(folder[..<slash])
        guard access(parent, F_OK) == 0 || make(parent) else { return false }
        return mkdir(folder, 0o700) == 0
    }
}

// MARK: - Commands from a script: one per line, until the input ends

extension CommandContext {
    /// Goes on after a refused command, and ends with its status. Ends at once if there is no daemon.
    func runScript() throws(ControlError) -> ControlStatus {
        var status = ControlStatus.accepted
        var number = 0
        var lines = InputLines()
        while let bytes = try lines.next() {
            number += 1
            do throws(ControlError) {
                let line = number == 1 ? Array(bytes.withoutByteOrderMark) : bytes
                guard let words = try InputLine.words(of: InputLine.text(of: line)) else { continue }
                if InputLine.isQuit(words) { break }
                if try runLine(words) != .accepted { status = .refused }
            } catch {
                guard !error.endsScript else { throw error }
                try output.complain(error, line: number)
                status = .refused
            }
        }
        return status
    }
}

/// A line of a console or a script.
enum InputLine {
    /// Throws if the bytes are not UTF-8: repaired, they would name another session, or be another payload.
    static func text(of bytes: [UInt8]) throws(ControlError) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .usage("the line is not text in UTF-8") }
        return text
    }

    /// Nil if the line is empty or a comment.
    static func words(of line: String) throws(ControlError) -> [String]? {
        do throws(RequestError) {
            let words = try LineWords.split(LineWords.uncommented(line))
            return words.isEmpty ? nil : words
        } catch {
            throw .usage("\(error)")
        }
    }

    static func isQuit(_ words: [String]) -> Bool {
        words.count == 1 && ["quit", "exit"].contains(words[0].lowercased())
    }

    /// Whether it may have a token, which must not be written to the history file: behind AUTH, also within HELLO.
    static func isSecret(_ words: [String]) -> Bool { words.contains { $0.uppercased() == "AUTH" } }
}

// MARK: - The daemon's current names, for completion. A failed request gives no names.

struct LiveNames: CompletionSource {
    let daemon: DaemonClient

    func sessions(beginningWith prefix: String) -> [String] { names(beginningWith: prefix) }

    func unrestoredSessions(beginningWith prefix: String) -> [String] { names(beginningWith: prefix, state: "!") }

    private static func pattern(_ prefix: String) -> String {
        prefix.map { "*?[]^-\\".contains($0) ? "\\\($0)" : String($0) }.joined() + "*"
    }

    /// A million sessions are not all listed, nor searched to the end.
    private func names(beginningWith prefix: String, state: String? = nil) -> [String] {
        let names = try? daemon.sessionNames(match: Self.pattern(prefix), state: state, enough: 200, maxParts: 20)
        return (names ?? []).sorted()
    }

    func flows() -> [String] { elements(["FLOWS"]).compactMap(\.text) }

    func events(ofSession session: String) -> [String] { elements(["EVENTS", session]).compactMap(\.text) }

    func tokens(inFile file: String?) -> [String] { (try? TokenFileEditor(at: file).lines().map(\.id)) ?? [] }

    func timers(ofSession session: String) -> [String] { elements(["TIMERS", session]).compactMap { $0["name"]?.text } }

    func states(ofSession session: String) -> [String] {
        guard let flow = (try? daemon.ask(["STATE", session]))?["flow"]?.text else { return [] }
        return (try? daemon.ask(["DESCRIBE", flow]))?["states"]?.elements.compactMap(\.text) ?? []
    }

    private func elements(_ words: [String]) -> [Reply] { (try? daemon.ask(words))?.elements ?? [] }
}
