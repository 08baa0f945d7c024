// What `--help` prints.

import Commands
import Installation

extension Options {
    static var help: String {
        let width = Option.shown.map(\.usage.count).max() ?? 0
        let groups = Option.Group.allCases.filter { $0 != .hidden }.map { group in
            section(group.rawValue, Option.shown.filter { $0.group == group }.map { ($0.usage, $0.help) }, width)
        }
        let limits = Limit.all.map { limit in ("\(limit.name)=\(limit.standard)", limit.sentence) }
        return """
            usage: gamed [options]

            Runs game flows: processes made of states, events and time.

            \(groups.joined(separator: "\n\n"))

            \(section("Limits", limits, limits.map(\.0.count).max() ?? 0))

            SIGTERM and SIGINT end it when it has answered; SIGHUP has it read the token and device files again.
            Once it runs: redis-cli -s \(DefaultPlaces.socket) COMMAND DOCS, or man gamed.
            """
    }

    private static func section(_ title: String, _ entries: [(String, String)], _ width: Int) -> String {
        let lines = entries.map { "  \($0)\(String(repeating: " ", count: width - $0.count))  \($1)" }
        return "\(title):\n\(lines.joined(separator: "\n"))"
    }
}
