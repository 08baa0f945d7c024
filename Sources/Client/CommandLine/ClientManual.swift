// gamectl(1), from the same lists as its help.

import Posix
import Texts

extension SubcommandTable {
    package var manual: String {
        var page = Roff(title: program, section: 1, version: gamedVersion)
        page.section("Name")
        page.paragraph("\(program) - client of the daemon that runs game flows")
        page.section("Synopsis")
        page.paragraph("\(program) [options] [command …]")
        page.section("Description")
        page.paragraph(
            "Sends a command to gamed(8) and prints its reply: as a table or text, or as JSON with --json. Without a command, "
                + "it reads commands from standard input, one per line; on a terminal, with editing, history and completion.")
        page.section("Options")
        for option in GlobalOption.options {
            // The default path depends on the reading user, not on the building one.
            page.entry(option.usage, option.help.replacing(DefaultPaths.socket, with: "the default one"))
        }
        page.section("Commands")
        for group in Subcommand.Group.allCases {
            page.subsection(group.rawValue)
            for command in all where command.group == group { add(command, to: &page) }
        }
        addOutcome(to: &page)
        return page.text
    }

    private func add(_ command: Subcommand, to page: inout Roff) {
        page.entry(command.syntax, command.summary)
        for part in command.details.split(separator: "\n", omittingEmptySubsequences: false).split(separator: "") {
            let text = part.prefix { !$0.hasPrefix(" ") }
            if !text.isEmpty { page.more(text.joined(separator: " ")) }
            // A table within a text is indented.
            page.example(part.dropFirst(text.count).map(String.init))
        }
        for option in command.options { page.more("\(option.usage): \(option.help)") }
        page.example(command.examples)
    }

    private func addOutcome(to page: inout Roff) {
        page.section("Exit status")
        for status in ControlStatus.allCases { page.entry("\(status.rawValue)", status.meaning) }
        page.section("Environment")
        page.entry("GAMED_SOCKET", "The daemon's socket, where --socket does not name one.")
        page.entry("GAMED_TOKEN", "The token, where neither --token nor --token-file gives one.")
        page.entry(
            "GAMED_TLS",
            "Whether to use TLS over TCP; if it is unset, GAMED_TLS_CA and GAMED_TLS_CLIENT_CERT turn TLS on. If it is false, they "
                + "have no effect without an option for TLS.")
        page.entry("GAMED_LOG_TIME", "The time zone of printed dates: local (the default) or utc.")
        page.entry("NO_COLOR", "If it is set, output has no colours.")
        page.section("See also")
        page.paragraph("gamed(8), gamed-commands(7), gamed-flow(5)")
    }
}
