import JSON
import Testing
@testable import Statecharts
@testable import Commands
@testable import GameDaemon

@Suite struct `The manual` {
    /// A page without the marks that `man` needs.
    private func plain(_ page: ManualPage) -> String {
        page.text.replacing("\\-", with: "-").replacing("\\(dq", with: "\"").replacing("\\(aq", with: "'")
            .replacing("\\[u2026]", with: "…")
    }

    @Test func `The manual has every option, every limit and every exit status`() {
        let page = plain(.gamed)
        for option in DaemonOption.shown { #expect(page.contains(".B \"\(option.usage)\"\n")) }
        for limit in Limit.all { #expect(page.contains(".B \"\(limit.name)\"\n")) }
        for status in ExitStatus.allCases { #expect(page.contains(".B \"\(status.rawValue)\"\n")) }
        #expect(!page.contains("--manual"))
    }

    @Test func `The manual has every command with its examples`() {
        let page = plain(.commands)
        for command in CommandTable.all.commands {
            #expect(page.contains(".B \"\(command.syntax)\"\n"))
            for example in command.examples { #expect(page.contains("> \(example)")) }
        }
    }

    @Test func `The manual has every key of a flow file`() throws {
        let page = plain(.flow)
        let schema = try JSON(parsing: FlowSchema.text)
        guard case .object(let definitions)? = schema["$defs"] else { return #expect(Bool(false)) }
        for definition in [schema] + definitions.map(\.value) {
            guard case .object(let keys)? = definition["properties"] else { continue }
            for key in keys { #expect(page.contains(".B \"\(key.name)\"\n")) }
        }
    }
}
