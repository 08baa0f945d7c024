// How shells complete gamed's options, from the list of options.

extension Shell {
    var completionScript: String {
        switch self {
        case .bash: Self.forBash
        case .zsh: Self.forZsh
        case .fish: Self.forFish
        }
    }

    private static let subcommands = Options.subcommands.map {
        (name: String($0.syntax.prefix { $0 != " " }), help: $0.summary)
    }

    // MARK: bash

    private static var forBash: String {
        let values = Option.shown.filter { !$0.label.isEmpty }.map { option in
            let files = option.takesFile ? "compopt -o default; " : ""
            let words =
                option.choices.isEmpty
                ? "" : "COMPREPLY=($(compgen -W '\(option.choices.joined(separator: " "))' -- \"$word\")); "
            return "        \(option.name)) \(files)\(words)return ;;"
        }
        let options = Option.shown.map(\.name).joined(separator: " ")
        return #"""
            # bash completion for gamed, written by gamed --completions bash

            _gamed() {
                local word=$2 before=$3
                COMPREPLY=()
                # --option=value is three words for bash.
                if [ "$word" = = ]; then word=; elif [ "$before" = = ]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi
                case $before in
            \#(values.joined(separator: "\n"))
                esac
                case $word in
                -*) COMPREPLY=($(compgen -W '\#(options)' -- "$word")) ;;
                *)
                    compopt -o default
                    if [ "$COMP_CWORD" = 1 ]; then COMPREPLY=($(compgen -W '\#(subcommands.map(\.name).joined(separator: " "))' -- "$word")); fi
                    ;;
                esac
            }
            complete -F _gamed gamed

            """#
    }

    // MARK: zsh

    private static var forZsh: String {
        let options = Option.shown.map { option in
            let isRepeatable = option.shape == .list || option.shape == .pairs
            let name = "\(isRepeatable ? "*" : "")\(option.name)\(option.label.isEmpty ? "" : "=")"
            return "    '\(name)[\(quoted(ConfigurationText.help(of: option)))]\(value(of: option))' \\"
        }
        let commands = subcommands.map { "\($0.name)\\:\"\(quoted($0.help).replacing("\"", with: ""))\"" }
        return """
            #compdef gamed
            # zsh completion for gamed, written by gamed --completions zsh

            _arguments \\
            \(options.joined(separator: "\n"))
                '1:command:((\(commands.joined(separator: " "))))' \\
                '*:file:_files'

            """
    }

    private static func value(of option: Option) -> String {
        guard !option.label.isEmpty else { return "" }
        let label = quoted(option.label)
        let colons = option.shape == .optionalText ? "::" : ":"
        if option.choices.isEmpty { return "\(colons)\(label):\(option.takesFile ? "_files" : "")" }
        let choices = "(\(option.choices.joined(separator: " ")))"
        return
            "\(colons)\(label):\(option.takesFile ? "{_alternative \"words:word:\(choices)\" \"files:file:_files\"}" : choices)"
    }

    /// Within quotes and brackets.
    private static func quoted(_ text: String) -> String {
        text.replacing("'", with: "’").replacing("[", with: "\\[").replacing("]", with: "\\]").replacing(":", with: "\\:")
    }

    // MARK: fish

    private static var forFish: String {
        let commands = subcommands.map { command in
            "complete -c gamed -n __fish_is_first_arg -a \(command.name) -d '\(command.help.replacing("'", with: "\\'"))'"
        }
        let options = Option.shown.map { option in
            let files = option.takesFile ? "-r -F " : "-x "
            let choices = option.choices.isEmpty ? "" : "-a '\(option.choices.joined(separator: " "))' "
            let value = option.label.isEmpty ? "" : (option.shape == .optionalText ? "" : files) + choices
            return
                "complete -c gamed -l \(option.key) \(value)-d '\(ConfigurationText.help(of: option).replacing("'", with: "\\'"))'"
        }
        return (["# fish completion for gamed, written by gamed --completions fish", ""] + commands + options).joined(
            separator: "\n")
            + "\n"
    }
}

extension Option {
    private var forms: [String] { label.split(separator: "|").map(String.init) }

    /// The words that its value may be: those of the label that are not in capitals.
    fileprivate var choices: [String] {
        forms.filter { form in form.utf8.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) } }
    }

    fileprivate var takesFile: Bool { forms.contains { ["PATH", "FILE", "DIR"].contains($0) } }
}
