// The words of the command line as options and their values.

import Client
import Posix
import Texts

extension DaemonOption {
    /// The value that unsets an option set by a configuration file: `--http-open=false`.
    static let off = "false"
}

extension Options {
    /// An option as it was given; the value is nil for one without.
    typealias ParsedOption = (option: DaemonOption, value: String?)

    static func parse(_ arguments: [String], for program: String) throws(UsageError) -> [ParsedOption] {
        var words = arguments[...]
        var all: [ParsedOption] = []
        while let word = words.popFirst() {
            let (name, inline) = Option.split(word)
            guard let option = DaemonOption.all.first(where: { $0.name == name }) else {
                throw word.hasPrefix("-") ? unknownOption(word, name) : unknownWord(word, to: program)
            }
            let value =
                if let inline, option.isFlag, option.isSetting {
                    try flag(option, inline)
                } else {
                    try option.syntax.value(inline, or: &words)
                }
            all.append((option, option.isValueOptional && value == "true" ? nil : value))
        }
        try checkTasks(all.map(\.option.name))
        return all
    }

    /// Throws if there are two tasks, of which only the last one would run.
    private static func checkTasks(_ names: [String]) throws(UsageError) {
        let tasks = names.filter { name in name != "--shards" && DaemonOption.ofTasks.contains { $0.name == name } }
        guard let first = tasks.first, let other = tasks.first(where: { $0 != first }) else { return }
        throw UsageError(of: first, "and \(other) exclude each other: give one task at a time")
    }

    /// A flag that is a setting may be taken back.
    private static func flag(_ option: DaemonOption, _ value: String) throws(UsageError) -> String? {
        switch value {
        case DaemonOption.off: return DaemonOption.off
        case "true": return nil
        default: throw UsageError(of: option.name, "is true or false, not '\(value.shortened)'")
        }
    }
}

// MARK: - Options as settings

extension DaemonOption {
    /// The value's name in the help; empty for a flag.
    var label: String {
        switch kind {
        case .flag: ""
        case .optional(let label, _), .value(let label, _), .list(let label, _), .pairs(let label, _): label
        }
    }

    var isFlag: Bool { if case .flag = kind { true } else { false } }
    var isValueOptional: Bool { if case .optional = kind { true } else { false } }
    var isOfPairs: Bool { if case .pairs = kind { true } else { false } }
    /// Whether it may be given several times.
    var isRepeatable: Bool { if case .list = kind { true } else { isOfPairs } }

    /// Its name in the file.
    var key: String { String(name.drop { $0 == "-" }) }
    /// Its name in the environment.
    var variable: String { "GAMED_" + key.uppercased().replacing("-", with: "_") }

    /// Whether it configures the daemon, and is not a task to run instead.
    var isSetting: Bool { group != .other && group != .hidden }
    /// Whether the configuration file may contain it.
    var isInFile: Bool { isSetting && !isForOneStart }

    /// The values that the label lists, separated by bars.
    var forms: [String] { label.split(separator: "|").map(String.init) }

    /// Whether a relative value of it in a file starts at the file's own folder.
    func isPath(_ value: String) -> Bool {
        !forms.contains(value) && forms.contains { ["PATH", "FILE", "DIR"].contains($0) }
    }

    static let settings = all.filter(\.isSetting)
    /// Those of tasks that work on a configuration. The last one is no task, and belongs to the second.
    static let ofTasks = all.filter { ["--check", "--init", "--import", "--export", "--shards"].contains($0.name) }
    static let inFile = all.filter(\.isInFile)

    static func setting(_ key: String) -> DaemonOption? { settings.first { $0.key == key } }
}
