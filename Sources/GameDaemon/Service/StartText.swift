// What is printed once the daemon listens: where, what it hosts, and what to try.

import Glibc
import Installation
import Posix
import Texts

struct StartText {
    let options: Options
    /// Where it listens, the UNIX socket first.
    let addresses: [String]
    let hasToken: Bool
    /// A flow to begin a session of.
    let flow: String
    /// How to call gamectl here, if it is installed.
    var gamectl = Self.findGamectl()

    /// Paths and names are untrusted text, so they are escaped.
    var lines: [String] { plainLines.map(\.printable) }

    private var plainLines: [String] {
        var lines = ["\(options.version) listens at \(addresses.joined(separator: ", "))"]
        if addresses.count > 1 {
            let rule = hasToken ? "clients must send the token first: AUTH token" : "anyone on this machine may connect"
            lines.append("over TCP, \(rule)")
        }
        lines.append("time: \(options.time == .system ? "the machine's" : "virtual; it only passes with ADVANCE")")
        lines.append("kept: \(persistence)")
        if !options.sessions.isEmpty {
            lines.append("sessions: \(options.sessions.map { "\($0.name) (\($0.flow))" }.joined(separator: ", "))")
        }
        let moved = options.limits.changed.map { "\($0.limit.name)=\($0.value)" }
        if !moved.isEmpty { lines.append("limits: \(moved.joined(separator: ", "))") }
        return lines + zip(["try: "] + Array(repeating: "     ", count: 9), suggestions).map { $0 + $1 }
    }

    /// What survives its end.
    private var persistence: String {
        guard let directory = options.dataDirectory else { return "nothing; sessions end with \(options.program)" }
        let most =
            options.persistence.durability == .always ? "what has been answered is on disk" : "a crash may cost the last second"
        return "in \(directory), \(options.persistence.durability.rawValue): \(most)"
    }

    /// Commands that work at once, ready to paste into a shell.
    private var suggestions: [String] {
        let session = options.sessions.first.map { Self.quoted($0.name) }
        let redis = "redis-cli -s \(Self.quoted(options.socketPath))"
        var lines =
            session.map { ["\(redis) STATE \($0)", "\(redis) EVENTS \($0)"] } ?? ["\(redis) NEW main \(Self.quoted(flow))"]
        if let gamectl {
            let tool =
                options.socketPath == DefaultPaths.socket ? gamectl : "\(gamectl) --socket \(Self.quoted(options.socketPath))"
            lines += session.map { ["\(tool) state \($0)", "\(tool) watch \($0)"] } ?? ["\(tool) help"]
        }
        return lines
    }

    private static func quoted(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy { byte in
            let scalar = Character(UnicodeScalar(byte))
            return scalar.isASCII && (scalar.isLetter || scalar.isNumber || "/._-+:@%".contains(scalar))
        }
        return isPlain ? word : "'" + word.replacing("'", with: #"'\''"#) + "'"
    }

    /// On PATH, or beside this program.
    private static func findGamectl() -> String? {
        let path = environmentVariable("PATH") ?? ""
        if path.split(separator: ":").contains(where: { access("\($0)/gamectl", X_OK) == 0 }) { return "gamectl" }
        guard let folder = ownFolder, access("\(folder)/gamectl", X_OK) == 0 else { return nil }
        return quoted("\(folder)/gamectl")
    }

    private static var ownFolder: Substring? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/self/exe", &buffer, buffer.count)
        guard length > 0 else { return nil }
        let path = String(decoding: buffer[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
        return path.lastIndex(of: "/").map { path[..<$0] }
    }
}
