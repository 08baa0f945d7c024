// `gamectl completions`, and what its scripts ask: `gamectl complete`.

import Client
import RESP
import Texts

extension Subcommand {
    static let completions = Subcommand(
        .offline, syntax: "completions bash|zsh|fish",
        summary: "Prints a completion script for gamectl's commands, sessions, events and timers.",
        details: """
            The package has installed it already. Otherwise, in ~/.bashrc: eval "$(gamectl completions bash)". For zsh, write it to a file \
            _gamectl in a folder of $fpath, and for fish to ~/.config/fish/completions/gamectl.fish.
            """,
        examples: ["gamectl completions bash"], words: 1...1
    ) { context, call throws(ControlError) in
        guard let script = CompletionScript(rawValue: call.words[0]) else {
            throw .usage("unknown shell '\(call.words[0].shortened)'; available: bash, zsh, fish")
        }
        try context.output.write(script.text)
        return .accepted
    }

    /// Prints one word a line, some followed by a tab and a description. The status is 1 if a file name fits.
    static let complete = Subcommand(
        .offline, syntax: "complete [--line TEXT] [WORD …]",
        summary: "Prints what the last word of a command line could become.",
        details: "It asks the daemon for names, and for no longer than a blink.",
        examples: ["gamectl complete -- send room ''"],
        options: [Option("--line", "TEXT", "the command line as it was typed, up to the cursor")], words: 0...Int.max - 1
    ) { context, call throws(ControlError) in
        guard let typed = TypedWords(call.options["--line"], call.words) else { return .accepted }
        return try context.complete(typed)
    }
}

extension CommandContext {
    private static let patience = Duration.milliseconds(400)

    fileprivate func complete(_ typed: TypedWords) throws(ControlError) -> ControlStatus {
        // Errors are reported when the line is run.
        guard let line = try? GlobalWords(of: typed.before, of: daemon) else { return .accepted }
        if let option = line.waiting { return option == .socket || option == .tokenFile ? .refused : .accepted }
        line.daemon.patience = Self.patience
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
        let descriptions = CompletedWords(subcommands, after: line.rest)
        try output.write(lines: words.filter(\.isPlainForShells).map(descriptions.line))
        return words.isEmpty && !isOption && names.takesFile(after: line.rest) ? .refused : .accepted
    }
}

/// The descriptions that zsh and fish show beside a word.
private struct CompletedWords {
    private var meanings: [String: String] = [:]

    init(_ subcommands: SubcommandTable, after before: [String]) {
        let command = before.first.flatMap(subcommands.find)
        if command == nil || command?.name == "help" {
            for one in subcommands.all { meanings[one.name] = one.summary }
        }
        for option in (command?.options ?? []) + GlobalOption.options { meanings[option.name] = option.help }
    }

    func line(_ word: String) -> String {
        guard let meaning = meanings[word] else { return word }
        let end = meaning.firstRange(of: ". ")?.lowerBound ?? meaning.endIndex
        return "\(word)\t\(meaning[..<end])"
    }
}

extension String {
    /// Whether every shell takes it for a word as it is: names of sessions are other people's.
    fileprivate var isPlainForShells: Bool {
        utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte >= 0x80
                || "0123456789-_./:,%+@".utf8.contains(byte)
        }
    }
}

// MARK: - A command line that is being typed

/// The words before the cursor.
struct TypedWords {
    let before: [String]
    /// The one that is being typed.
    let prefix: String

    /// Nil where nothing can be completed, as within a quote.
    init?(_ line: String?, _ words: [String]) {
        guard let line else {
            (before, prefix) = (Array(words.dropLast()), words.last ?? "")
            return
        }
        let start = line.lastIndex { $0 == " " || $0 == "\t" }.map { line.index(after: $0) } ?? line.startIndex
        guard let before = try? LineWords.split(String(line[..<start])) else { return nil }
        (self.before, prefix) = (Array(before.dropFirst()), String(line[start...]))
    }
}

/// gamectl's own options taken out of the words before the cursor, and the daemon that they name.
struct GlobalWords {
    let daemon: DaemonClient
    let rest: [String]
    /// An option that the word at the cursor is the value of.
    let waiting: GlobalOption?

    init(of words: [String], of usual: DaemonClient) throws(ControlError) {
        var (globals, rest, waiting): ([String], [String], GlobalOption?) = ([], [], nil)
        for word in words {
            let name = String(word.prefix { $0 != "=" })
            if waiting != nil {
                globals.append(word)
                waiting = nil
            } else if let option = GlobalOption(rawValue: name) {
                globals.append(word)
                waiting = option.option.label == nil || name != word ? nil : option
            } else {
                rest.append(word)
            }
        }
        if waiting != nil { globals.removeLast() }
        var call = Invocation(address: usual.address, token: usual.token)
        try call.parse(globals, with: SubcommandTable(of: usual.program, []))
        daemon = DaemonClient(at: call.address, token: call.token, program: usual.program)
        (self.rest, self.waiting) = (rest, waiting)
    }
}

// MARK: - The scripts with which shells complete gamectl: they ask `gamectl complete`, and know no command themselves.

enum CompletionScript: String, CaseIterable {
    case bash, zsh, fish

    var text: String {
        switch self {
        case .bash: Self.forBash
        case .zsh: Self.forZsh
        case .fish: Self.forFish
        }
    }

    /// bash splits words at colons, too: the part before the last colon is removed.
    private static let forBash = #"""
        # bash completion for gamectl, written by gamectl completions bash

        _gamectl() {
            local line=${COMP_LINE:0:COMP_POINT} answer word known status=0
            word=${line##*[[:blank:]]}
            known=${word%"$2"}
            answer=$("$1" complete --line "$line" 2>/dev/null) || status=$?
            COMPREPLY=()
            if [ "$status" = 1 ]; then
                compopt -o default
            elif [ -n "$answer" ]; then
                local one
                while IFS= read -r one; do
                    one=${one%%$'\t'*}
                    COMPREPLY+=("${one#"$known"}")
                done <<<"$answer"
            fi
        }
        complete -F _gamectl gamectl

        """#

    private static let forZsh = #"""
        #compdef gamectl
        # zsh completion for gamectl, written by gamectl completions zsh

        _gamectl() {
            local -a answer names shown
            local one code
            answer=("${(@f)$("$words[1]" complete -- "${(@Q)words[2,CURRENT]}" 2>/dev/null; print $?)}")
            code=$answer[-1]
            answer[-1]=()
            if [[ $code == 1 ]]; then
                _files
                return
            fi
            for one in $answer; do
                [[ -n $one ]] || continue
                names+=("${one%%$'\t'*}")
                shown+=("${one/$'\t'/  -- }")
            done
            (( $#names )) && compadd -l -d shown -a names
        }
        if [[ $funcstack[1] == _gamectl ]]; then _gamectl "$@"; else compdef _gamectl gamectl; fi

        """#

    private static let forFish = #"""
        # fish completion for gamectl, written by gamectl completions fish

        function __gamectl_complete
            set -l words (commandline -opc)
            set -l program $words[1]
            set -e words[1]
            $program complete -- $words (commandline -ct) 2>/dev/null
            or __fish_complete_path (commandline -ct)
        end
        complete -c gamectl -f -a '(__gamectl_complete)'

        """#
}
