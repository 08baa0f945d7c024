// `gamectl completions`, and what its scripts ask: `gamectl complete`.

import Client
import Posix

extension Subcommand {
    static let completions = Subcommand(
        .offline, syntax: "completions bash|zsh|fish",
        summary: "Prints a completion script for gamectl's commands, sessions, events and timers.",
        details: """
            The package has installed it already. Otherwise, in ~/.bashrc: eval "$(gamectl completions bash)". For zsh, write it to a file \
            _gamectl in a directory of $fpath, and for fish to ~/.config/fish/completions/gamectl.fish.
            """,
        examples: ["gamectl completions bash"], words: 1...1
    ) { context, call throws(ControlError) in
        let shell = try named(call.words[0])
        try context.output.write(shell.completionScript(of: "gamectl", from: "gamectl completions \(shell)"))
        return .accepted
    }

    private static func named(_ shell: String) throws(ControlError) -> Shell {
        do throws(UsageError) { return try Shell(named: shell) } catch { throw .usage("\(error)") }
    }

    static let complete = Subcommand.complete(details: "It asks the daemon for names, and for no longer than a blink.") {
        context, typed throws(ControlError) in
        context.completions(of: typed)
    }
}

extension CommandContext {
    /// Nil if nothing can be completed. Errors are reported when the line is run.
    fileprivate func completions(of typed: TypedWords) -> CompletedWords? {
        guard let line = try? GlobalWords(of: typed.before, of: daemon) else { return nil }
        if let label = line.waiting?.option.label { return CompletedWords(takesFile: ["FILE", "PATH"].contains(label)) }
        let names = Completion(of: subcommands, from: LiveNames(daemon: line.daemon))
        let isOption = typed.prefix.hasPrefix("-")
        var words: [String]
        if isOption {
            let options = (line.rest.first.flatMap(subcommands.find)?.options ?? []) + GlobalOption.options
            words = options.map(\.name).filter { $0.hasPrefix(typed.prefix) }
        } else {
            words = names.candidates(after: line.rest, beginningWith: typed.prefix).filter { !$0.hasPrefix("-") }
            if line.rest.isEmpty { words.removeAll { $0 == "quit" } }
        }
        let descriptions = descriptions(after: line.rest)
        return CompletedWords(
            words.map { ($0, descriptions[$0]) }, takesFile: words.isEmpty && !isOption && names.takesFile(after: line.rest))
    }

    /// The descriptions of words that can follow, by word.
    private func descriptions(after before: [String]) -> [String: String] {
        var descriptions: [String: String] = [:]
        let command = before.first.flatMap(subcommands.find)
        if command == nil || command?.name == "help" {
            for one in subcommands.all { descriptions[one.name] = one.summary }
        }
        for option in (command?.options ?? []) + GlobalOption.options { descriptions[option.name] = option.help }
        return descriptions
    }
}

// MARK: - A command line that is being typed

/// gamectl's own options taken out of the words before the cursor, and the daemon that they name.
struct GlobalWords {
    private static let timeout = Duration.milliseconds(400)
    let daemon: DaemonClient
    let rest: [String]
    /// An option that the word at the cursor is the value of.
    let waiting: GlobalOption?

    init(of words: [String], of usual: DaemonClient) throws(ControlError) {
        var (globals, rest, waiting): ([String], [String], GlobalOption?) = ([], [], nil)
        for word in words {
            let (name, inline) = Option.split(word)
            if waiting != nil {
                globals.append(word)
                waiting = nil
            } else if let option = GlobalOption(rawValue: name) {
                globals.append(word)
                waiting = option.option.label == nil || inline != nil ? nil : option
            } else {
                rest.append(word)
            }
        }
        if waiting != nil { globals.removeLast() }
        var call = Invocation(address: usual.address, token: usual.token, tls: usual.tls)
        try call.parse(globals, with: SubcommandTable(of: usual.program, []), isComplete: false)
        daemon = DaemonClient(
            at: call.address, token: call.token, tls: call.tls, program: usual.program, timeout: Self.timeout)
        (self.rest, self.waiting) = (rest, waiting)
    }
}
