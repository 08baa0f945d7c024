// `gamectl backup`: a copy of everything that the daemon keeps, made while it runs.

import Client
import GameFlow
import Glibc
import RESP
import Terminal
import Texts

extension Subcommand {
    static let backup = Subcommand(
        .daemon, syntax: "backup FILE",
        summary: "Copies all sessions and their history into a new file, and waits until it is complete.",
        details: """
            The daemon writes the file as its own user. A relative FILE starts at your current directory, and with --connect at the \
            daemon's data directory. An existing file is never replaced. Other clients are served meanwhile; ctrl-C stops \
            waiting, not the backup. To restore it: mkdir -m 700 DIR, cp FILE DIR/gamed.db, and start the daemon with --data DIR.
            """,
        examples: ["gamectl backup monday.db", "gamectl backup /var/backups/gamed.db"], words: 1...1
    ) { context, call throws(ControlError) in
        try context.backUp(to: call.words[0])
        return .accepted
    }
}

extension CommandContext {
    fileprivate func backUp(to file: String) throws(ControlError) {
        try daemon.checkThatReplies(to: "backup")
        let path = daemon.address.isLocal ? try Self.absolute(file) : file
        _ = try daemon.ask(["BACKUP", path])
        let (status, reply) = try waitForBackup()
        let copy = reply["path"]?.text ?? ""
        guard copy == path || !path.hasPrefix("/") else {
            throw .refused(code: .busy, sentence: "another backup was started meanwhile; check whether \(path) exists")
        }
        guard status == "done" else {
            throw .refused(code: .backupFailed, sentence: reply["error"]?.text ?? "the backup has failed: \(status)")
        }
        let (bytes, took) = (reply["bytes"]?.integer ?? 0, reply["took_ms"]?.integer ?? 0)
        try output.write(
            json: ["path": .string(copy), "bytes": .integer(bytes), "took_ms": .integer(took)],
            lines: ["\(copy): \(bytes.bytesWritten), in \(ReplyText.duration(took))".printable])
    }

    /// Polls, less and less often. Returns the daemon's reply to BACKUP, once the status in it is not `running`.
    private func waitForBackup() throws(ControlError) -> (status: String, reply: Reply) {
        var milliseconds: UInt32 = 5
        defer { showProgress("\r\u{1B}[K") }
        while true {
            let reply = try daemon.ask(["BACKUP"])
            guard let status = reply["status"]?.text else {
                throw .noDaemon("the daemon at \(daemon.address) does not report its backups")
            }
            guard status == "running" else { return (status, reply) }
            showProgress("\r\(reply["progress"]?.integer ?? 0) %")
            usleep(milliseconds * 1_000)
            milliseconds = min(milliseconds * 2, 250)
        }
    }

    /// On a terminal only, and not part of the output.
    private func showProgress(_ text: String) {
        guard output.isTerminal, !output.isJSON, isatty(2) == 1, !TerminalKind.isDumb else { return }
        _ = text.utf8.withContiguousStorageIfAvailable { write(2, $0.baseAddress, $0.count) }
    }

    private static func absolute(_ file: String) throws(ControlError) -> String {
        guard !file.hasPrefix("/") else { return file }
        guard let folder = getcwd(nil, 0) else { throw .usage("the current directory no longer exists; give an absolute path") }
        defer { free(folder) }
        return String(cString: folder) + "/" + file
    }
}
