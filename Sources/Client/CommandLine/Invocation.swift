// A parsed command line: the command, its words and options, and the global options.

import Posix
import TLS
import Texts
import Timers

package struct Invocation: Sendable {
    package enum Task: Equatable, Sendable {
        /// No command was given: they are read from standard input.
        case console
        case command(name: String)
        case help(about: String?)
        case version
    }

    package var task = Task.console
    package var address: ServerAddress
    package var token: GivenToken?
    /// Nil for a connection in clear.
    package var tls: TLSFiles?
    /// The files that variables name, which an option for TLS uses also where GAMED_TLS turns it off.
    private var variableFiles = TLSFiles()
    package var isJSON = false
    /// The command's words, without its name and options.
    package var words: [String] = []
    /// The values of the command's own options, by name, each in its order; an option without a value has an empty one.
    private var values: [String: [String]] = [:]
    /// The options of the command line, in their order.
    private var given: [Option] = []
    /// Options whose values come from variables.
    private var fromVariables: [GlobalOption] = []
    /// Whether it is a line of a console or a script: the options of the program itself were given when it started.
    private let isLine: Bool

    /// The defaults, before anything is parsed.
    package init(
        address: ServerAddress, token: GivenToken? = nil, tls: TLSFiles? = nil, isJSON: Bool = false, isLine: Bool = false
    ) {
        self.isLine = isLine
        self.address = address
        self.token = token
        self.tls = tls
        self.isJSON = isJSON
    }

    /// Parses the words after the program's name. Options may stand anywhere; after `--`, nothing is an option. More words may follow
    /// those of an incomplete command line.
    package mutating func parse(
        _ arguments: [String], with subcommands: SubcommandTable, isComplete: Bool = true
    ) throws(ControlError) {
        var rest = arguments[...]
        var command: Subcommand?
        while let word = rest.popFirst() {
            if word == "--" {
                if command == nil, let name = rest.popFirst() { command = try takeCommand(name, subcommands) }
                words += rest
                break
            }
            if word.hasPrefix("--") || (word == "-h" && command == nil) {
                try takeOption(word == "-h" ? GlobalOption.help.rawValue : word, &rest, of: command, subcommands.program)
            } else if command == nil {
                command = try takeCommand(word, subcommands)
            } else {
                words.append(word)
            }
        }
        if isComplete { try check(command, of: subcommands.program) }
    }

    private mutating func takeCommand(_ name: String, _ subcommands: SubcommandTable) throws(ControlError) -> Subcommand {
        let command = try subcommands.known(name)
        if case .console = task { task = .command(name: command.name) }
        if case .help(nil) = task { task = .help(about: command.name) }
        return command
    }

    private mutating func takeOption(
        _ word: String, _ rest: inout ArraySlice<String>, of command: Subcommand?, _ program: String
    ) throws(ControlError) {
        let (name, inline) = Option.split(word)
        let own = command?.options ?? []
        guard let option = (own + GlobalOption.options).first(where: { $0.name == name }) else {
            throw Self.unknown(name, own, [program] + [command?.name].compactMap(\.self))
        }
        let value: String?
        do throws(UsageError) { value = try option.value(inline, or: &rest) } catch { throw .usage(error.description) }
        guard value == nil || option.isRepeatable || !given.contains(where: { $0.name == name }) else {
            throw .usage("\(name) is given twice, and takes one value")
        }
        given.append(option)
        try apply(option, value ?? "", of: program)
    }

    /// Whether the command line has this option, or a variable in its place.
    func isGiven(_ name: String) -> Bool {
        given.contains { $0.name == name } || fromVariables.contains { $0.rawValue == name }
    }

    /// The first option for TLS in the command line; nil if variables alone turn it on.
    package var tlsOption: String? {
        let options: [GlobalOption] = [.tls, .tlsCA, .tlsCertificate, .tlsKey]
        return given.first { option in options.contains { $0.rawValue == option.name } }?.name
    }

    private mutating func apply(_ option: Option, _ value: String, of program: String) throws(ControlError) {
        guard let global = GlobalOption(rawValue: option.name) else {
            return values[option.name, default: []].append(value)
        }
        if isLine, global != .help, global != .version {
            throw .usage("\(option.name) is an option of \(program) itself; give it when you start \(program)")
        }
        switch global {
        case .socket: address = .socket(value)
        case .connect: address = try ServerAddress(hostAndPort: value)
        case .token: token = GivenToken(value, from: .option)
        case .tokenFile: token = GivenToken(try Self.firstLine(of: value), from: .file(value))
        case .tls: tls = tls ?? variableFiles
        case .tlsCA: tls = (tls ?? variableFiles).with(\.authority, value)
        case .tlsCertificate: tls = (tls ?? variableFiles).with(\.certificate, value)
        case .tlsKey: tls = (tls ?? variableFiles).with(\.key, value)
        case .json: isJSON = true
        case .version: task = .version
        case .help: if case .command(let name) = task { task = .help(about: name) } else { task = .help(about: nil) }
        }
    }

    /// Reads the environment's settings of TLS. Files turn it on, unless GAMED_TLS is false.
    mutating func takeTLS(from variable: (String) -> String? = environmentVariable) throws(ControlError) {
        let files = TLSFiles(
            certificate: variable("GAMED_TLS_CLIENT_CERT"), key: variable("GAMED_TLS_CLIENT_KEY"),
            authority: variable("GAMED_TLS_CA"))
        var isOn = files != TLSFiles()
        if let setting = variable("GAMED_TLS") {
            guard let asked = Bool(setting: setting) else {
                throw .usage("GAMED_TLS is true or false, not '\(setting.shortened)'")
            }
            isOn = asked
        }
        variableFiles = files
        if isOn { tls = files }
        fromVariables = [(GlobalOption.tlsCertificate, files.certificate), (.tlsKey, files.key)].filter { $0.1 != nil }.map(\.0)
    }

    /// The command's own options, by name, each with the value that was given last.
    package var options: [String: String] { values.compactMapValues(\.last) }

    /// Every value of an option that can be given several times.
    package func values(of option: String) -> [String] { values[option] ?? [] }

    private static func firstLine(of path: String) throws(ControlError) -> String {
        let bytes: [UInt8]?
        do throws(FileError) { bytes = try SmallFile(path).bytes() } catch { throw .file(error) }
        guard let bytes else { throw .file(FileError("read", path, reason: "there is no such file")) }
        let line = String(decoding: bytes.withoutByteOrderMark, as: UTF8.self).prefix { !$0.isNewline }
        guard !line.isEmpty else { throw .badFile("\(path): its first line is empty; it must be the token") }
        guard line.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .badFile(
                "\(path): its first line is not a token, which is one word; the daemon's file has only the hashes of tokens, and "
                    + "'gamectl token new' has printed the token itself")
        }
        return String(line)
    }

    /// `own` are the command's options, without those that all commands have.
    private static func unknown(_ name: String, _ own: [Option], _ words: [String]) -> ControlError {
        let all = (own + GlobalOption.options).map(\.name)
        if let near = Suggestion.closest(to: name, among: all) {
            return .usage("unknown option '\(name.shortened)'; did you mean '\(near)'?")
        }
        let listed = own.isEmpty ? all : own.map(\.name)
        return .usage(
            "unknown option '\(name.shortened)'; available: \(listed.joined(separator: ", ")); "
                + "\(words.joined(separator: " ")) --help explains them")
    }

    private mutating func check(_ command: Subcommand?, of program: String) throws(ControlError) {
        switch task {
        case .help, .version: return
        case .console, .command: break
        }
        for option in given {
            if let problem = option.scope.problem(of: option.name, in: self, command) { throw .usage(problem) }
        }
        guard let command else { return }
        guard command.words.contains(words.count) else {
            throw .usage("\(wordCountProblem(command)); usage: \(program) \(command.syntax)")
        }
        if case .command("help") = task { task = .help(about: words.first) }
    }

    /// The number of words is; a duration of two words is the most likely one too many.
    private func wordCountProblem(_ command: Subcommand) -> String {
        if words.count < command.words.lowerBound { return "too few words" }
        guard command.takesDuration else { return "too many words" }
        let duration = Duration.joined(words.dropFirst(command.words.upperBound - 1))
        return duration.map { "a duration is one word: \($0)" } ?? "too many words"
    }
}
