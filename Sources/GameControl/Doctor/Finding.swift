// The doctor's finding on one subject.

import Client
import GameFlow
import Glibc
import Posix
import Terminal
import Texts

/// One thing that was looked at.
package struct Finding: Equatable, Sendable {
    package enum Verdict: String, Sendable {
        case good
        /// It works, and may not for long.
        case doubtful
        case bad
    }

    package let about: String
    package let verdict: Verdict
    package let sentence: String
    /// The advice; nil if there is nothing to do, or the sentence says what.
    package let advice: String?

    static func good(_ about: String, _ sentence: String) -> Finding {
        Finding(about: about, verdict: .good, sentence: sentence, advice: nil)
    }

    static func doubtful(_ about: String, _ sentence: String, _ advice: String) -> Finding {
        Finding(about: about, verdict: .doubtful, sentence: sentence, advice: advice)
    }

    static func bad(_ about: String, _ sentence: String, _ advice: String) -> Finding {
        Finding(about: about, verdict: .bad, sentence: sentence, advice: advice)
    }

    var json: JSON {
        [
            "about": .string(about), "verdict": .string(verdict.rawValue), "says": .string(sentence),
            "advice": advice.map { .string($0) } ?? .null,
        ]
    }

    private static let (verdictWidth, aboutWidth) = (6, 10)

    /// In one line, or two.
    func lines(_ style: Style) -> [String] {
        let (word, look): (String, TextAttribute) =
            switch verdict {
            case .good: ("ok", .good)
            case .doubtful: ("look", .stopped)
            case .bad: ("BAD", .bad)
            }
        let head = style(word.padded(to: Self.verdictWidth), look) + style(about.padded(to: Self.aboutWidth), .faint)
        let margin = String(repeating: " ", count: Self.verdictWidth + Self.aboutWidth)
        return [head + sentence.printable] + (advice.map { [margin + "→ " + $0.printable] } ?? [])
    }
}

extension [Finding] {
    /// The last line.
    var summary: String {
        let count = count { $0.verdict != .good }
        return count == 0 ? "no problems found" : "\("problem".counted(count)) found"
    }
}

// MARK: - The clocks

extension Finding {
    /// No machine that this runs on has an earlier date.
    private static let tooEarly = 1_735_689_600

    /// `isSynchronized` is nil where the system does not say.
    static func clock(_ report: DaemonReport, isSynchronized: Bool?, seconds: Int) -> Finding {
        guard seconds > tooEarly else {
            return .bad(
                "clock", "this machine's date is before 2025",
                "set it (timedatectl); timers after a restart depend on it")
        }
        if report["time"] == "virtual" {
            return .doubtful(
                "clock", "virtual time: it passes only with ADVANCE",
                "for real time, start without --time virtual")
        }
        guard isSynchronized != false else {
            return .doubtful(
                "clock", "no program synchronizes this machine's clock; timers after a restart depend on it",
                "install systemd-timesyncd or chrony")
        }
        return .good("clock", isSynchronized == nil ? "system clock" : "system clock, synchronized")
    }
}

// MARK: - The UNIX socket's file, checked before connecting.

/// The file as it stands there.
struct SocketFile {
    let path: String
    let mode: mode_t
    let owner: uid_t
    /// Of the folder that it is in.
    let folderMode: mode_t
}

extension SocketFile {
    /// Nil without such a file.
    init?(at path: String) {
        guard let file = FileStatus(at: path, followingLinks: false) else { return nil }
        self.path = path
        (mode, owner) = (file.st_mode, file.st_uid)
        folderMode = FileStatus(at: parentDirectory(of: path))?.st_mode ?? 0
    }

    var isSocket: Bool { mode & S_IFMT == S_IFSOCK }

    var findings: [Finding] {
        guard isSocket else {
            return [
                .bad("socket", "\(path) is not a socket", "move it away, or start the daemon with another path: --socket PATH")
            ]
        }
        var findings: [Finding] = []
        if mode & 0o002 != 0 {
            findings.append(
                .doubtful(
                    "socket", "\(path) is open to every user; the daemon still refuses users without permission",
                    "chmod o-rwx \(path.shellWord)"))
        }
        if folderMode & 0o002 != 0, folderMode & Self.sticky == 0 {
            findings.append(
                .bad(
                    "socket", "every user can write to the directory of \(path) and replace the socket",
                    "chmod o-w the directory, or give the daemon its own directory with --socket PATH"))
        }
        return findings
    }

    /// Only a file's owner can remove it.
    private static let sticky: mode_t = 0o1000
}

extension Finding {
    /// A daemon answers, and does not report to this client.
    static func refused(_ code: ErrorCode, _ sentence: String, by address: ServerAddress) -> Finding {
        let answer = "the daemon at \(address) answers: \(code) \(sentence)"
        return switch code {
        case .wrongToken:
            .bad(
                "token", answer,
                "correct it there; for a new one, run gamectl token new NAME --role ROLE --file FILE with the daemon's "
                    + "token file, then gamectl reload on its machine")
        case .notAuthenticated: .bad("token", answer, "run gamectl on the daemon's machine, where its socket needs no token")
        case .noPermission:
            .bad("daemon", answer, "run gamectl as the daemon's user or as root, or with the token of a master")
        case .loading: .bad("daemon", answer, "wait until it has restored all sessions, then run gamectl doctor again")
        case .busy: .bad("daemon", answer, "wait until the work that it names has ended, then run gamectl doctor again")
        default: Finding(about: "daemon", verdict: .bad, sentence: answer, advice: nil)
        }
    }

    /// Why no daemon can be reached, with what there is to see.
    static func unreachable(_ reason: String, _ file: SocketFile?, isLocal: Bool) -> Finding {
        // The reason says what to do.
        guard isLocal else { return Finding(about: "daemon", verdict: .bad, sentence: reason, advice: nil) }
        guard let file else {
            return .bad(
                "daemon", reason,
                "start it; if it does not start, run gamed --check with its options, or under systemd journalctl -u gamed"
            )
        }
        if access(file.path, R_OK | W_OK) != 0 {
            let owner = userName(of: file.owner) ?? "user \(file.owner)"
            return .bad("daemon", reason, "run gamectl as \(owner), who runs it, or ask \(owner) to admit you")
        }
        return .bad(
            "daemon", reason,
            "if none runs, its socket was left behind, and the next start replaces it; if one runs, it hangs: journalctl -u gamed, then restart it"
        )
    }
}
