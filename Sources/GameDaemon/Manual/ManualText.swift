// The manual, made from what the program itself goes by: its options, its limits, its commands.

import Commands
import GameFlow
import Installation

extension ManualPage {
    var text: String {
        switch self {
        case .gamed: Self.program
        case .commands: Self.allCommands
        }
    }

    // MARK: gamed(8)

    private static var program: String {
        var page = Roff(title: "gamed", section: 8)
        page.section("Name")
        page.paragraph("gamed - runs game flows: processes made of states, events and time")
        page.section("Synopsis")
        page.paragraph("gamed [options]")
        page.section("Description")
        page.paragraph(
            "gamed hosts sessions of flows, keeps their clocks, and listens to clients that speak the protocol of Redis: "
                + "redis-cli, any Redis library, or lines through nc -U. What they can say is in gamed-commands(7).")
        addOptions(to: &page)
        addOperation(to: &page)
        page.section("Exit status")
        for status in ExitStatus.allCases { page.entry("\(status.rawValue)", status.sentence) }
        page.section("See also")
        page.paragraph("gamed-commands(7), redis-cli(1)")
        return page.text
    }

    private static func addOptions(to page: inout Roff) {
        page.section("Options")
        for group in Option.Group.allCases where group != .hidden {
            page.subsection(group.rawValue)
            for option in Option.shown where option.group == group {
                // Where the socket is depends on who reads this, not on who has built it.
                page.entry(option.usage, option.help.replacing("(\(DefaultPlaces.socket))", with: "(see Files)"))
            }
            guard group == .other else { continue }
            for subcommand in Options.subcommands { page.entry(subcommand.syntax, subcommand.summary) }
        }
        page.section("Limits")
        page.paragraph(
            "Everything that a client could make grow has a limit. --limit NAME=VALUE moves one at the start, CONFIG SET NAME "
                + "VALUE while it runs; k, m and g behind a number are 1024, its square and its cube.")
        for limit in Limit.all {
            page.entry(
                limit.name,
                "\(limit.sentence) (\(limit.standard); from \(limit.range.lowerBound) to \(limit.range.upperBound)"
                    + (limit.isFixed ? "; moved at the start alone)" : ")"))
        }
    }

    private static func addOperation(to page: inout Roff) {
        page.section("Access")
        page.paragraph(
            "On the UNIX socket, the system says who connects: the user who runs gamed and root are listened to, nobody else. "
                + "Over TCP, clients say the token, if there is one; an address that other machines can reach is only listened "
                + "at if there is one. The token file belongs to root or to the user who runs gamed, and others cannot read it."
        )
        page.section("Console")
        page.paragraph(
            "With --console, a terminal shows a session: what is to be seen, the clocks that run, and what can be done, each with a "
                + "key. Tab goes to the next session, l lists them, p pauses or resumes; ctrl-c and ctrl-d end gamed. Lines of the "
                + "log go above the picture.")
        page.paragraph(
            "Through pipes, a line in is an event and what it carries, like chooseEpisode 3; @NAME shows another session. Every "
                + "change is some lines out, and so is a refusal. gamed ends where its input ends.")
        page.section("Signals")
        page.entry(
            "SIGTERM, SIGINT", "Take nobody in any more, answer what has been asked, and end; a second one ends it at once.")
        page.entry("SIGHUP", "Read the token file and the device file again; keep the old of what cannot be used, and say why.")
        page.section("Environment")
        page.entry("GAMED_TOKEN", "The token, where --token-file names none.")
        page.entry("JOURNAL_STREAM", "If it is set, what is logged has the levels that the journal reads.")
        page.entry("XDG_RUNTIME_DIR", "Where the socket is if root does not run it.")
        page.section("Files")
        page.entry(
            "/run/gamed/gamed.sock",
            "The socket of root's gamed. Of a user's: $XDG_RUNTIME_DIR/gamed/gamed.sock, or else "
                + "/tmp/gamed-UID/gamed.sock.")
    }

    // MARK: gamed-commands(7)

    private static var allCommands: String {
        var page = Roff(title: "gamed-commands", section: 7)
        page.section("Name")
        page.paragraph("gamed-commands - what can be said to gamed")
        page.section("Description")
        page.paragraph(
            "Commands are words; upper and lower case are the same in a command's own name. Payloads are JSON, and a bare word or "
                + "number is enough for one value. Durations are like 90s, 1m30s, 250ms, -10s, or a number of milliseconds.")
        for group in Command.Group.allCases {
            page.section(group.rawValue)
            for command in CommandTable.all.commands where command.group == group {
                page.entry(command.syntax, command.summary, command.details)
                page.example(command.examples.map { "> \($0)" })
            }
        }
        page.section("See also")
        page.paragraph("gamed(8)")
        return page.text
    }
}
