// The subcommands that run flows themselves, as a list.

import Client

extension [Subcommand] {
    /// `test`, `replay` and those that work on flow files, beside these flows.
    package static func rehearsals(of flows: RehearsedFlows) -> [Subcommand] {
        [.test(flows), .replay(flows), .check(flows), .newFlow(besides: flows), .schema, .diagram]
    }
}

// MARK: - The option `--flows`: flow files beside a program's own flows.

extension Option {
    static let flows = Option("--flows", "DIR", "flow file or directory; repeatable")
}

extension RehearsedFlows {
    /// The same with the flow files that the command line names.
    func with(filesOf call: Invocation) throws(ControlError) -> RehearsedFlows {
        let files = FlowFiles(call.values(of: Option.flows.name))
        guard files.areGood else { throw files.error }
        return with(files.definitions)
    }
}
