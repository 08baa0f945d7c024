// `gamectl backup`: a copy of everything that the daemon keeps, made while it runs.

import GameDaemon
import GameFlow
import Glibc
import RESP

extension Subcommand {
    static let backup = Subcommand(
        .daemon, syntax: "backup FILE",
        summary: "Copies all sessions and their history into a new file while the daemon runs, and waits until it is there.",
        details: """
            The daemon writes the file, as its own user: on this machine a FILE counts from where you are, and with --connect \
            from the daemon's data directory unless it begins with /. A file that is there is never replaced. Clients go on as \
            if nothing was; ctrl-C ends the waiting and not the copying. To start from a backup: mkdir -m 700 DIR, cp FILE \
            DIR/gamed.db, gamed --data DIR.
            """,
        examples: ["gamectl backup monday.db", "gamectl backup /var/backups/gamed.db"], words: 1...1
    ) { control, call throws(ControlError) in
        try control.backUp(to: call.words[0])
        return .accepted
    }
}

/// What the daemon says of it.
private struct BackupState {
    let path: String
    let status: String
    let error: String?
    let progress, bytes, took: Int

    init?(_ reply: Reply) {
        guard let status = reply["status"]?.text else { return nil }
        let number = { (name: String) in if case .integer(let value)? = reply[name] { value } else { 0 } }
        (self.status, path, error) = (status, reply["path"]?.text ?? "", reply["error"]?.text)
        (progress, bytes, took) = (number("progress"), number("bytes"), number("took_ms"))
    }

    var json: JSON {
        ["path": .string(path), "bytes": .integer(bytes), "took_ms": .integer(took)]
    }

    var text: String { "\(path): \(Self.size(bytes)), in \(ReplyText.duration(took))" }

    private static func size(_ bytes: Int) -> String {
        for (unit, name) in [(1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")] where bytes >= unit {
            let tenths = (bytes * 10 + unit / 2) / unit
            return "\(tenths / 10).\(tenths % 10) \(name)"
        }
        return "\(bytes) bytes"
    }
}

extension Control {
    fileprivate func backUp(to file: String) throws(ControlError) {
        let path = isOnThisMachine ? try Self.absolute(file) : file
        _ = try ask(["BACKUP", path])
        let state = try waitForBackup(path)
        guard state.path == path || !path.hasPrefix("/") else {
            throw .refused(code: "BUSY", sentence: "somebody has begun another backup meanwhile; look for \(path)")
        }
        guard state.status == "done" else {
            throw .refused(code: "BACKUP", sentence: state.error ?? "there is no backup: \(state.status)")
        }
        if output.isJSON { try output.say(json: state.json) } else { try output.say(state.text.printable) }
    }

    /// Asks now and then, at first often and later less so.
    private func waitForBackup(_ path: String) throws(ControlError) -> BackupState {
        var milliseconds: UInt32 = 5
        defer { showProgress("\r\u{1B}[K") }
        while true {
            guard let state = BackupState(try ask(["BACKUP"])) else {
                throw .noDaemon("the gamed at \(addressText) tells nothing of its backups")
            }
            guard state.status == "running" else { return state }
            showProgress("\r\(state.progress) %")
            usleep(milliseconds * 1_000)
            milliseconds = min(milliseconds * 2, 250)
        }
    }

    /// For whoever looks on, and no part of the output.
    private func showProgress(_ text: String) {
        guard output.isTerminal, !output.isJSON, isatty(2) == 1 else { return }
        _ = text.utf8.withContiguousStorageIfAvailable { write(2, $0.baseAddress, $0.count) }
    }

    private static func absolute(_ file: String) throws(ControlError) -> String {
        guard !file.hasPrefix("/") else { return file }
        guard let folder = getcwd(nil, 0) else { throw .usage("the folder that you are in is gone; say all of the path") }
        defer { free(folder) }
        return String(cString: folder) + "/" + file
    }
}
