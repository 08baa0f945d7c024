import Testing
@testable import Commands
@testable import GameDaemon

@Suite struct `The manual` {
    /// A page without the marks that `man` needs.
    private func plain(_ page: ManualPage) -> String {
        page.text.replacing("\\-", with: "-").replacing("\\(dq", with: "\"").replacing("\\(aq", with: "'")
            .replacing("\\[u2026]", with: "…")
    }

    @Test func `has every option, every limit, every exit status`() {
        let page = plain(.gamed)
        for option in Option.shown { #expect(page.contains(".B \"\(option.usage)\"\n")) }
        for limit in Limit.all { #expect(page.contains(".B \"\(limit.name)\"\n")) }
        for status in ExitStatus.allCases { #expect(page.contains(".B \"\(status.rawValue)\"\n")) }
        #expect(!page.contains("--manual"))
    }

    @Test func `has every command with its examples`() {
        let page = plain(.commands)
        for command in CommandTable.all.commands {
            #expect(page.contains(".B \"\(command.syntax)\"\n"))
            for example in command.examples { #expect(page.contains("> \(example)")) }
        }
    }
}
