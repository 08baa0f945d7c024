// gamectl as a whole: from the words of the command line to the exit status.

import GameDaemon
import Glibc
import RESP
import StandardStreams

public final class Control {
    let output: Output
    private let address: ServerAddress
    private let token: String?
    private var connection: ServerConnection?

    package init(to address: ServerAddress, token: String? = nil, output: Output) {
        self.address = address
        self.token = token
        self.output = output
    }

    /// The whole program.
    public static func main(_ arguments: [String]) -> Int32 {
        StandardDescriptors.fill()
        setlocale(LC_ALL, "")
        beginSignals()
        var call = Invocation(
            address: .socket(environment("GAMED_SOCKET") ?? DefaultPlaces.socket), token: environment("GAMED_TOKEN"))
        // Whoever asks for JSON gets JSON, also where the rest cannot be understood.
        call.isJSON = arguments.prefix { $0 != "--" }.contains("--json")
        let output = { (call: Invocation) in
            Output(isJSON: call.isJSON, style: .of(descriptor: 1), isTerminal: isatty(1) == 1)
        }
        do throws(ControlError) {
            if let number = CommandWords.firstUnreadable {
                throw .usage("word \(number) of the command line is no text in UTF-8")
            }
            try call.parse(arguments)
            return try Control(to: call.address, token: call.token, output: output(call)).run(call).rawValue
        } catch {
            return output(call).end(with: error).rawValue
        }
    }

    /// Whoever started the process may have blocked or ignored signals, and a child inherits that. Ctrl-C ends a watch, and a pager
    /// that is closed early ends whatever writes to it.
    private static func beginSignals() {
        signal(SIGPIPE, SIG_DFL)
        var none = sigset_t()
        sigemptyset(&none)
        sigprocmask(SIG_SETMASK, &none, nil)
    }

    private static func environment(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }

    package func run(_ call: Invocation) throws(ControlError) -> ControlStatus {
        switch call.task {
        case .version:
            try output.say("gamectl \(gamedVersion)")
            return .accepted
        case .help(let name): return try help(about: name)
        case .console: return try runConsole()
        case .command(let name):
            guard let command = Subcommand.find(name) else { throw Subcommand.unknown(name) }
            return try command.run(self, call)
        }
    }

    /// People type commands, or somebody's script says them.
    private func runConsole() throws(ControlError) -> ControlStatus {
        guard isatty(0) == 1, output.isTerminal, !output.isJSON else { return try Script(self).run() }
        return try Console(self, title: "\(address)").run()
    }

    func help(about name: String?) throws(ControlError) -> ControlStatus {
        guard let name else {
            try output.say(HelpText.overview)
            return .accepted
        }
        guard let command = Subcommand.find(name) else { throw Subcommand.unknown(name) }
        try output.say(HelpText.text(about: command))
        return .accepted
    }

    // MARK: The daemon

    /// The connection, which is made when it is needed first, and anew when it was lost.
    func connected() throws(ControlError) -> ServerConnection {
        if let connection { return connection }
        let made = try ServerConnection(to: address, token: token)
        connection = made
        return made
    }

    /// The daemon's answer; an error in it is thrown.
    func ask(_ words: [String]) throws(ControlError) -> Reply {
        let connection = try connected()
        let reply: Reply
        do throws(ControlError) {
            reply = try connection.ask(words)
        } catch {
            self.connection = nil
            throw error
        }
        if case .error(let code, let sentence) = reply { throw .refused(code: code, sentence: sentence) }
        return reply
    }

    /// Asks, and prints the answer.
    func answer(_ words: [String], formatted: Bool = true) throws(ControlError) {
        let reply = try ask(words)
        if output.isJSON { return try output.say(json: reply.json) }
        let text = ReplyText(style: output.style, isTerminal: output.isTerminal)
        try output.say(lines: formatted ? text.lines(reply, to: words) : text.plain(reply))
    }

    var addressText: String { "\(address)" }
    var isOnThisMachine: Bool { if case .socket = address { true } else { false } }

    /// Carries out a line of a console or a script.
    func carryOut(_ words: [String]) throws(ControlError) -> ControlStatus {
        // A daemon that was started anew meanwhile is another one: nothing has been said to it yet.
        if let connection, (try? connection.readWhatIsThere()) == nil { self.connection = nil }
        var call = Invocation(address: address, token: token, isJSON: output.isJSON)
        if Subcommand.find(words[0]) == nil, CommandTable.all[words[0]] != nil {
            call.task = .command(name: "raw")
            call.words = words
        } else {
            try call.parse(words)
        }
        guard call.address == address, call.isJSON == output.isJSON, call.token == token else {
            throw .usage("--socket, --connect, --token and --json count for the whole; say them when you start gamectl")
        }
        if case .console = call.task { return .accepted }
        return try run(call)
    }
}
