// The manual, generated from the lists of options, limits and commands.

import Commands
import GameFlow
import Simulation
import Posix
import Texts

extension ManualPage {
    var text: String {
        switch self {
        case .gamed: Self.program
        case .commands: Self.allCommands
        case .flow: FlowManual.text
        case .configuration: ConfigurationText.text
        }
    }

    // MARK: gamed(8)

    private static var program: String {
        var page = Roff(title: "gamed", section: 8, version: gamedVersion)
        page.section("Name")
        page.paragraph("gamed - runs game flows: processes made of states, events and time")
        page.section("Synopsis")
        page.paragraph("gamed [options]")
        page.section("Description")
        page.paragraph(
            "gamed hosts sessions of flows, keeps their clocks, and serves clients over the Redis protocol: "
                + "redis-cli, any Redis library, or lines through nc -U. gamed-commands(7) lists the commands.")
        addOptions(to: &page)
        addOperation(to: &page)
        page.section("Exit status")
        for status in ExitStatus.allCases { page.entry("\(status.rawValue)", status.sentence) }
        page.section("See also")
        page.paragraph("gamectl(1), gamed-commands(7), gamed-flow(5), redis-cli(1)")
        return page.text
    }

    private static func addOptions(to page: inout Roff) {
        page.section("Options")
        for group in DaemonOption.Group.allCases where group != .hidden {
            page.subsection(group.rawValue)
            for option in DaemonOption.shown where option.group == group {
                // The default paths depend on the reading user, not on the building one.
                page.entry(option.usage, ConfigurationText.helpForService(option))
            }
            guard group == .other else { continue }
            for subcommand in Options.subcommands { page.entry(subcommand.syntax, subcommand.summary) }
        }
        page.section("Limits")
        page.paragraph(
            "Every resource that a client can grow has a limit. --limit NAME=VALUE sets one at start, CONFIG SET NAME VALUE "
                + "while it runs; the suffixes k, m and g stand for KiB, MiB and GiB.")
        for limit in Limit.all {
            page.entry(
                limit.name,
                "\(limit.sentence) (\(limit.standard); from \(limit.range.lowerBound) to \(limit.range.upperBound)"
                    + (limit.isSetAtStart ? "; can only be set at start)" : ")"))
        }
    }

    // MARK: gamed-commands(7)

    private static var allCommands: String {
        var page = Roff(title: "gamed-commands", section: 7, version: gamedVersion)
        page.section("Name")
        page.paragraph("gamed-commands - the commands of gamed")
        page.section("Description")
        page.paragraph(
            "A command is a list of words; its name is case-insensitive. Payloads are JSON; a bare word or number will do for a "
                + "single value. Durations are written like 90s, 1m30s, 250ms, -10s, or as a number of milliseconds.")
        for group in Command.Group.allCases {
            page.section(group.rawValue)
            for command in CommandTable.all.commands where command.group == group {
                page.entry(command.syntax, command.summary, command.details)
                page.example(command.examples.map { "> \($0)" })
            }
        }
        page.section("See also")
        page.paragraph("gamed(8), gamectl(1)")
        return page.text
    }
}
