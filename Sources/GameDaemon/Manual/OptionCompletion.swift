// The completion of gamed's command line, from the list of options.

import Client

extension Subcommand {
    /// Completes the options and subcommands of the daemon's program.
    static let completeOptions = Subcommand.complete(details: "Completion scripts call it.") {
        context, typed throws(ControlError) in
        CompletedWords(of: typed, context.subcommands)
    }
}

extension CompletedWords {
    fileprivate init(of typed: TypedWords, _ subcommands: SubcommandTable) {
        if let first = typed.before.first, let subcommand = subcommands.find(first) {
            let options = subcommand.options.filter { typed.prefix.hasPrefix("-") && $0.name.hasPrefix(typed.prefix) }
            self.init(options.map { ($0.name, $0.help) }, takesFile: !typed.prefix.hasPrefix("-"))
        } else if let option = DaemonOption.shown.first(where: { typed.prefix.hasPrefix($0.name + "=") }) {
            self.init(valuesOf: option, typed.prefix, after: option.name + "=")
        } else if let option = DaemonOption.shown.first(where: { $0.name == typed.before.last && !$0.label.isEmpty }) {
            self.init(valuesOf: option, typed.prefix)
        } else if typed.prefix.hasPrefix("-") {
            let options = DaemonOption.shown.filter { $0.name.hasPrefix(typed.prefix) }
            self.init(options.map { ($0.name, ConfigurationText.help(of: $0)) })
        } else {
            let commands = typed.before.isEmpty ? subcommands.all.filter { $0.name.hasPrefix(typed.prefix) } : []
            self.init(commands.map { ($0.name, $0.summary) }, takesFile: commands.isEmpty)
        }
    }

    /// Where a file's name fits as well, the other values are completed once their first letter is typed.
    private init(valuesOf option: DaemonOption, _ typed: String, after start: String = "") {
        let values = option.choices.map { start + $0 }.filter { $0.hasPrefix(typed) && ($0 != typed || !option.takesFile) }
        let hasValues = !values.isEmpty && (typed != start || !option.takesFile)
        self.init(hasValues ? values.map { ($0, nil) } : [], takesFile: option.takesFile && !hasValues)
    }
}

extension DaemonOption {
    /// The words that its value may be: those of the label that are not in capitals.
    fileprivate var choices: [String] {
        forms.filter { form in form.utf8.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) } }
    }

    fileprivate var takesFile: Bool { forms.contains { ["PATH", "FILE", "DIR", "DIRECTORY"].contains($0) } }
}
