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
    static let flows = flowFiles()

    static func flowFiles(_ scope: OptionScope = .anywhere) -> Option {
        Option("--flows", "DIR", "flow file or directory; repeatable", isRepeatable: true, scope)
    }

    /// Lists more for people.
    static func verbose(_ help: String) -> Option {
        Option("--verbose", nil, help, .without("--json", because: "that prints facts of the whole, and no list"))
    }
}

extension RehearsedFlows {
    /// The same with the flow files that the command line names.
    func with(filesOf call: Invocation) throws(ControlError) -> RehearsedFlows {
        let files = FlowFiles(call.values(of: Option.flows.name))
        guard files.areGood else { throw files.error }
        return with(files.definitions)
    }
}
