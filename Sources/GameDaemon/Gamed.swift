// The public entry point: runs a daemon that hosts its program's own flows.

import Client
import Simulation
import Glibc

// So that a file with a flow needs no other import.
@_exported import GameFlow
@_exported import Timers

/// The daemon, for programs that host flows of their own.
///
///     import GameDaemon
///
///     @main struct Venue {
///         static func main() { Gamed.main(flows: [.flow(EscapeRoom.self)]) }
///     }
///
/// is a complete gamed, with that flow instead of the built-in ones: every option and command, the journal, `--check`, and the
/// subcommands `venue test FILE …` and `venue replay SESSION`.
public enum Gamed {
    /// Runs the process from its command line to its end. Work and hooks of a flow that has no executor run on the daemon's own thread, between its
    /// turns.
    /// - Parameters: - flows: The flows to host. They are made once for a daemon, and again for each scenario and each replay. - withBuiltIn: Whether
    ///   the flows that come with gamed are hosted as well.
    public static func main(flows: @autoclosure @escaping () -> [FlowKind], withBuiltIn: Bool = false) -> Never {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let name = programName(CommandLine.arguments.first ?? "")
        let rehearsals = [Subcommand].rehearsals(of: RehearsedFlows(flows, withBuiltIn: withBuiltIn))
        let subcommands = SubcommandTable(of: name, rehearsals, hidden: [.completeOptions])
        if arguments.first.flatMap(subcommands.find) != nil {
            let program = ClientProgram(subcommands, daemon: name)
            exit(program.main(arguments) { context, call throws(ControlError) in try context.run(call) })
        }
        let status = Service.main(arguments, program: name) { options, executor, log in
            let own = flows()
            for flow in own where flow.executor == nil { flow.executor = executor?.tasks }
            return own + (withBuiltIn ? Service.builtIn(options, executor, log) : [])
        }
        // Not `exit`: a thread that connects to PostgreSQL would use its libraries while they are torn down.
        fflush(nil)
        _exit(status.rawValue)
    }

    /// The last component of the path that it was started by.
    private static func programName(_ path: String) -> String {
        let name = path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...]
        return name.isEmpty ? "gamed" : String(name)
    }
}
