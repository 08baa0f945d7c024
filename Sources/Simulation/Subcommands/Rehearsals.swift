// The subcommands that run flows themselves, as a list.

import Client

extension [Subcommand] {
    /// `test`, `replay` and those that work on flow files, beside these flows.
    package static func rehearsals(of flows: RehearsedFlows) -> [Subcommand] {
        [.test(flows), .replay(flows), .check(flows), .newFlow, .schema, .diagram]
    }
}
