// gamectl as a whole: from the words of the command line to the exit status.

import Glibc
import Installation
import Posix

package struct Control {
    private let context: CommandContext

    private init(_ call: Invocation, _ output: Output, _ subcommands: SubcommandTable) {
        let daemon = DaemonClient(at: call.address, token: call.token)
        context = CommandContext(daemon: daemon, output: output, subcommands: subcommands)
    }

    /// The whole program. `rehearsals` are the subcommands that run flows themselves.
    package static func main(_ arguments: [String], rehearsals: [Subcommand]) -> Int32 {
        StandardDescriptors.fill()
        setlocale(LC_ALL, "")
        resetSignals()
        let subcommands = SubcommandTable(with: rehearsals)
        var call = Invocation(
            address: .socket(environment("GAMED_SOCKET") ?? DefaultPlaces.socket), token: environment("GAMED_TOKEN"))
        // With --json, an error in the rest of the command line is JSON too.
        call.isJSON = arguments.prefix { $0 != "--" }.contains(GlobalOption.json.rawValue)
        do throws(ControlError) {
            if let number = CommandWords.firstUnreadable {
                throw .usage("word \(number) of the command line is not text in UTF-8")
            }
            try call.parse(arguments, with: subcommands)
            return try Control(call, output(of: call), subcommands).run(call).rawValue
        } catch {
            return output(of: call).end(with: error).rawValue
        }
    }

    private static func output(of call: Invocation) -> Output {
        Output(isJSON: call.isJSON, style: .of(descriptor: STDOUT_FILENO), isTerminal: isatty(STDOUT_FILENO) == 1)
    }

    /// A process inherits blocked and ignored signals. Here ctrl-C must end a watch, and a pager that is closed must end the output.
    private static func resetSignals() {
        signal(SIGPIPE, SIG_DFL)
        var none = sigset_t()
        sigemptyset(&none)
        sigprocmask(SIG_SETMASK, &none, nil)
    }

    private static func environment(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }

    private func run(_ call: Invocation) throws(ControlError) -> ControlStatus {
        switch call.task {
        case .version:
            try context.output.say("gamectl \(gamedVersion)")
            return .accepted
        case .help(let name):
            try context.output.say(HelpText(context.subcommands).text(about: name))
            return .accepted
        case .console: return try readCommands()
        case .command(let name): return try context.subcommands.known(name).run(context, call)
        }
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
        if context.subcommands.find(words[0]) == nil, context.subcommands.rawSyntax[words[0].uppercased()] != nil {
            call.task = .command(name: Subcommand.raw.name)
            call.words = words
        } else {
            try call.parse(words, with: context.subcommands)
        }
        guard call.address == given.address, call.isJSON == given.isJSON, call.token == given.token else {
            throw .usage("--socket, --connect, --token and --json are options of gamectl itself; give them when you start it")
        }
        if case .console = call.task { return .accepted }
        return try run(call)
    }
}
