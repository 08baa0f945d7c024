// The lines that gamed prints once it listens: addresses, settings, sessions, and three lines to copy.

import Glibc
import Posix
import Texts

struct StartText {
    let options: Options
    /// The addresses, the UNIX socket first.
    let addresses: [String]
    let hasToken: Bool
    /// A flow to begin a session of.
    let flow: String
    var restored = Restored()
    /// The address of the page, with a login that works once; nil without a page.
    var page: String?
    /// Whether others may read these lines, so that there is no login in them.
    var hidesLogin = false
    /// Suggestions are for a terminal, not for a service's log.
    var suggests = isatty(STDOUT_FILENO) == 1
    /// How to call gamectl here, if it is installed.
    var gamectl = Self.findGamectl()

    /// Sessions restored from the data directory.
    struct Restored {
        var count = 0
        /// The flows of the sessions that the options name, by their names.
        var flows: [String: String] = [:]
        /// A session that there is now, preferably one that was asked for.
        var example: String?
        /// Sessions that were set aside, quarantined ones among them.
        var aside = 0
        /// One that is quarantined: RETRY is what can be done with it.
        var quarantined: String?
    }

    /// Paths and names are untrusted text, so they are escaped.
    var lines: [String] { plainLines.map(\.printable) }

    private var plainLines: [String] {
        var lines = ["\(options.version) listens at \(addresses.joined(separator: ", "))"]
        // systemd may open several UNIX sockets, each by an absolute path.
        if addresses.dropFirst().contains(where: { !$0.hasPrefix("/") }) { lines.append("over TCP, \(rule)") }
        lines.append("time: \(options.time == .system ? "system clock" : "virtual; only ADVANCE moves it")")
        if let page, !suggests { lines.append(text(of: page)) }
        lines.append("kept: \(persistence)")
        if let file = options.origins.file { lines.append("configuration: \(file)") }
        if !options.sessions.isEmpty {
            var names: Set<String> = []
            let sessions = options.sessions.filter { names.insert($0.name).inserted }
            lines.append(
                "sessions: \(sessions.map { "\($0.name) (\(restored.flows[$0.name] ?? $0.flow))" }.joined(separator: ", "))")
        }
        if !options.expiries.isEmpty {
            lines.append("expire: \(options.expiries.map(\.sentence).joined(separator: ", "))")
        }
        if restored.count + restored.aside > 0 { lines.append("restored: \(restoredText)") }
        let moved = options.limits.changed.map { "\($0.limit.name)=\($0.value)" }
        if !moved.isEmpty { lines.append("limits: \(moved.joined(separator: ", "))") }
        return suggests ? lines + linesToCopy : lines
    }

    /// On a terminal, the last lines: the socket, the page, a first command.
    private var linesToCopy: [String] {
        ["socket: \(options.socketPath)"] + (page.map { [text(of: $0)] } ?? []) + ["try: \(suggestion)"]
    }

    private func text(of page: String) -> String { "page: \(page)\(pageAdvice(page))" }

    /// The rule for TCP clients.
    private var rule: String {
        guard hasToken else { return "every local user may connect" }
        let rule = "clients must send a token first (AUTH token)"
        return options.trustsLoopback ? "\(rule), except local ones" : rule
    }

    private func pageAdvice(_ page: String) -> String {
        if page.contains("once=") { return " (opens once)" }
        return hidesLogin && !options.web.isOpen ? " (\(list) page prints a link that logs in)" : ""
    }

    /// The state that survives its end.
    private var persistence: String {
        if let store = options.cluster.store {
            let most =
                options.sharedDurability == .always
                ? "acknowledged changes survive a crash" : "a crash may lose the last second"
            return "in \(Options.hidden(store)), \(options.sharedDurability.rawValue): \(most)"
        }
        guard let directory = options.dataDirectory else { return "nothing; sessions end with \(options.program)" }
        let most =
            options.persistence.durability == .always
            ? "acknowledged changes are on disk" : "a crash may lose the last second"
        return "in \(directory), \(options.persistence.durability.rawValue): \(most)"
    }

    private var restoredText: String {
        let sessions = "session".counted(restored.count)
        guard restored.aside > 0 else { return sessions }
        return "\(sessions); \(restored.aside) \(restored.aside == 1 ? "is" : "are") set aside (\(list) sessions --state '!')"
    }

    /// gamectl, as it is called from anywhere.
    private var list: String {
        options.socketPath == DefaultPaths.socket ? "gamectl" : "gamectl --socket \(options.socketPath.shellWord)"
    }

    /// A command to paste into a shell. Without gamectl, one for redis-cli.
    private var suggestion: String {
        let isGamectl = gamectl != nil
        let place = options.socketPath == DefaultPaths.socket ? "" : " --socket \(options.socketPath.shellWord)"
        let tool = gamectl.map { $0 + place } ?? "redis-cli -s \(options.socketPath.shellWord)"
        func command(_ words: String) -> String { "\(tool) \(isGamectl ? words.lowercased() : words)" }
        if restored.count > 1 { return command("SESSIONS") }
        if let session { return command("EVENTS") + " " + session.shellWord }
        if let session = restored.quarantined { return command("RETRY") + " " + session.shellWord }
        return command("NEW") + " main " + flow.shellWord
    }

    private var session: String? {
        restored.example ?? (restored.quarantined == nil ? options.sessions.first?.name : nil)
    }

    /// On PATH, or beside this program.
    private static func findGamectl() -> String? {
        let path = environmentVariable("PATH") ?? ""
        if path.split(separator: ":").contains(where: { access("\($0)/gamectl", X_OK) == 0 }) { return "gamectl" }
        guard let program = linkTarget("/proc/self/exe"), let slash = program.lastIndex(of: "/") else { return nil }
        let beside = "\(program[...slash])gamectl"
        return access(beside, X_OK) == 0 ? beside.shellWord : nil
    }
}
