// gamectl as a whole: from the words of the command line to the exit status.

import Client
import Commands
import Glibc

package enum Control {
    /// The whole program. `rehearsals` are the subcommands that run flows themselves.
    package static func main(_ arguments: [String], rehearsals: [Subcommand]) -> Int32 {
        ClientProgram(SubcommandTable(with: rehearsals)).main(arguments) { context, call throws(ControlError) in
            if case .console = call.task { return try context.readCommands() }
            return try context.run(call)
        }
    }
}

extension CommandContext {
    /// From a person at a terminal, or from a script.
    fileprivate func readCommands() throws(ControlError) -> ControlStatus {
        guard isatty(STDIN_FILENO) == 1, output.isTerminal, !output.isJSON else { return try runScript() }
        return try Console(context: self).run()
    }

    /// Runs one line of a console or a script.
    func runLine(_ words: [String]) throws(ControlError) -> ControlStatus {
        daemon.closeIfLost()
        var call = Invocation(
            address: daemon.address, token: daemon.token, tls: daemon.tls, isJSON: output.isJSON, isLine: true)
        if subcommands.find(words[0]) == nil, CommandTable.all[words[0]] != nil {
            call.task = .command(name: Subcommand.raw.name)
            call.words = words
        } else {
            try call.parse(words, with: subcommands)
        }
        if case .console = call.task { return .accepted }
        return try run(call)
    }
}
