// gamectl as a whole: from the words of the command line to the exit status.

import Client
import Commands
import Glibc

package struct Control {
    private let context: CommandContext

    private init(_ context: CommandContext) {
        self.context = context
    }

    /// The whole program. `rehearsals` are the subcommands that run flows themselves.
    package static func main(_ arguments: [String], rehearsals: [Subcommand]) -> Int32 {
        ClientProgram(SubcommandTable(with: rehearsals)).main(arguments) { context, call throws(ControlError) in
            try Control(context).run(call)
        }
    }

    private func run(_ call: Invocation) throws(ControlError) -> ControlStatus {
        if case .console = call.task { return try readCommands() }
        return try context.run(call)
    }

    /// From a person at a terminal, or from a script.
    private func readCommands() throws(ControlError) -> ControlStatus {
        let run = { (words: [String]) throws(ControlError) in try runLine(words) }
        guard isatty(STDIN_FILENO) == 1, context.output.isTerminal, !context.output.isJSON else {
            return try Script(context.output, run: run).run()
        }
        return try Console(context, run: run).run()
    }

    /// Runs one line of a console or a script.
    private func runLine(_ words: [String]) throws(ControlError) -> ControlStatus {
        context.daemon.closeIfLost()
        var call = Invocation(address: context.daemon.address, token: context.daemon.token, isJSON: context.output.isJSON)
        let given = call
        if context.subcommands.find(words[0]) == nil, CommandTable.all[words[0]] != nil {
            call.task = .command(name: Subcommand.raw.name)
            call.words = words
        } else {
            try call.parse(words, with: context.subcommands)
        }
        guard call.address == given.address, call.isJSON == given.isJSON, call.token == given.token else {
            throw .usage(
                "--socket, --connect, --token, --token-file and --json are options of gamectl itself; give them when you start it"
            )
        }
        if case .console = call.task { return .accepted }
        return try run(call)
    }
}
