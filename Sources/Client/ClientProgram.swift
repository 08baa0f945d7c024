// A client program, from the words of its command line to its exit status.

import Glibc
import Posix

package struct ClientProgram {
    /// Carries out what the command line asks for.
    package typealias Body = (CommandContext, Invocation) throws(ControlError) -> ControlStatus

    private let subcommands: SubcommandTable
    /// The command that starts its daemon.
    private let daemon: String

    package init(_ subcommands: SubcommandTable, daemon: String = "gamed") {
        self.subcommands = subcommands
        self.daemon = daemon
    }

    package func main(_ arguments: [String], _ body: Body) -> Int32 {
        StandardDescriptors.fill()
        setlocale(LC_ALL, "")
        // Without a locale, or with one that is not installed, libedit would drop the letters that are not ASCII.
        if strcmp(setlocale(LC_CTYPE, nil), "C") == 0 { setlocale(LC_CTYPE, "C.UTF-8") }
        // A process inherits blocked and ignored signals. Here ctrl-C must end a watch, and a pager that is closed must end the output.
        signal(SIGPIPE, SIG_DFL)
        Signals.unblock()
        var call = Invocation(
            address: .socket(environmentVariable("GAMED_SOCKET") ?? DefaultPaths.socketForClients),
            token: environmentVariable("GAMED_TOKEN").map { GivenToken($0, from: .variable) })
        // With --json, an error in the rest of the command line is JSON too.
        call.isJSON = arguments.prefix { $0 != "--" }.contains(GlobalOption.json.rawValue)
        do throws(ControlError) {
            if let number = CommandWords.firstUnreadable {
                throw .usage("word \(number) of the command line is not text in UTF-8")
            }
            try call.takeTLS()
            try call.parse(arguments, with: subcommands)
            let client = DaemonClient(
                at: call.address, token: call.token, tls: call.tls, tlsOption: call.tlsOption, program: daemon)
            let context = CommandContext(daemon: client, output: output(of: call), subcommands: subcommands)
            return try body(context, call).rawValue
        } catch {
            return output(of: call).end(with: error).rawValue
        }
    }

    private func output(of call: Invocation) -> Output {
        Output(
            of: subcommands.program, isJSON: call.isJSON, style: .of(descriptor: STDOUT_FILENO),
            isTerminal: isatty(STDOUT_FILENO) == 1)
    }
}

extension CommandContext {
    /// Carries out a command line that names a command, or asks for help or the version.
    package func run(_ call: Invocation) throws(ControlError) -> ControlStatus {
        switch call.task {
        case .version:
            try output.writeLine("\(subcommands.program) \(gamedVersion)")
            return .accepted
        case .help(let name):
            try output.writeLine(subcommands.help(about: name))
            return .accepted
        case .console:
            throw .usage("a command is missing; available: \(subcommands.all.map(\.name).joined(separator: ", "))")
        case .command(let name): return try subcommands.known(name).run(self, call)
        }
    }
}
