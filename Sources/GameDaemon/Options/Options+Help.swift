// The text of `--help`.

import Client
import Commands
import Posix
import Simulation
import Texts

extension Options {
    var help: String {
        let width = (DaemonOption.shown.map(\.usage) + Self.subcommands.map(\.syntax)).map(\.count).max() ?? 0
        let groups = DaemonOption.Group.allCases.filter { $0 != .hidden }.map { group in
            let options = DaemonOption.shown.filter { $0.group == group }.map { ($0.usage, $0.help) }
            let tasks = group == .other ? Self.subcommands.map { ($0.syntax, $0.summary) } : []
            return Self.section(group.rawValue, options + tasks, width)
        }
        let limits = Limit.all.map { limit in ("\(limit.name)=\(limit.standard)", limit.sentence) }
        return """
            usage: \(program) [options]

            Runs game flows: processes made of states, events and timers.

            \(groups.joined(separator: "\n\n"))

            \(Self.section("Limits", limits, limits.map(\.0.count).max() ?? 0))

            Each option is also a key of the configuration file (JSON5, --config) and an environment variable: --http-open is
            "http-open" and GAMED_HTTP_OPEN. Options override the environment, and the environment overrides the file.
            The tasks above have neither; --config and --accept-loss, which is for one start, are no keys of the file.

            SIGTERM and SIGINT stop gamed once it has answered pending requests; SIGHUP reloads the configuration and the flow, token and
            device files. Commands: man gamed-commands, gamectl help, or redis-cli -s \(DefaultPaths.socket) COMMAND DOCS.
            The package installs documents (docs/…) in share/doc/gamed, alerts and a dashboard in share/gamed/monitoring.
            """
    }

    /// Subcommands: the first word of the command line, instead of options.
    static var subcommands: [Subcommand] { .rehearsals(of: .builtIn) }

    private static func section(_ title: String, _ entries: [(String, String)], _ width: Int) -> String {
        let lines = entries.map { "  \($0)\(String(repeating: " ", count: width - $0.count))  \($1)" }
        return "\(title):\n\(lines.joined(separator: "\n"))"
    }
}
