// The words of the command line as options and their values.

import Posix
import Texts

extension Option {
    /// The value that unsets a flag set by a configuration file: `--http-open=false`.
    static let off = "false"
}

extension Options {
    /// An option as it was said; the value is nil for one without.
    struct ParsedOption {
        let option: Option
        let value: String?
    }

    static func said(by arguments: [String], to program: String) throws(UsageError) -> [ParsedOption] {
        var words = arguments[...]
        var all: [ParsedOption] = []
        while let word = words.popFirst() {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard let option = Option.all.first(where: { $0.name == parts[0] }) else {
                throw word.hasPrefix("-") ? unknownOption(word, parts[0]) : unknownWord(word, to: program)
            }
            let value = try value(of: option, inline: parts.count > 1 ? parts[1] : nil, rest: &words)
            all.append(ParsedOption(option: option, value: value))
        }
        return all
    }

    private static func value(
        of option: Option, inline: String?, rest: inout ArraySlice<String>
    ) throws(UsageError) -> String? {
        switch option.kind {
        case .flag:
            return try flag(option, inline)
        case .optional:
            let next = rest.first.flatMap { $0.hasPrefix("-") ? nil : $0 }
            if inline == nil, next != nil { rest.removeFirst() }
            return inline ?? next
        case .value(let label, _), .list(let label, _):
            guard let value = inline ?? rest.popFirst(), !value.isEmpty else {
                throw UsageError(of: option.name, "needs a value: \(option.name) \(label)")
            }
            return value
        }
    }

    /// A flag that is a setting may be taken back.
    private static func flag(_ option: Option, _ inline: String?) throws(UsageError) -> String? {
        guard let inline else { return nil }
        guard option.isSetting else { throw UsageError(of: option.name, "takes no value") }
        switch inline {
        case Option.off: return Option.off
        case "true": return nil
        default: throw UsageError(of: option.name, "is true or false, not '\(inline.shortened)'")
        }
    }
}

// MARK: - Options as settings

extension Option {
    /// How a file says the value.
    enum Shape {
        /// `true` or `false`.
        case flag
        /// `true`, `false`, or a text.
        case optionalText
        case text
        /// A text, or a list of texts.
        case list
        /// An object, NAME: VALUE.
        case pairs
    }

    var shape: Shape {
        switch kind {
        case .flag: .flag
        case .optional: .optionalText
        case .value: .text
        case .list(let label, _): label.contains("=") ? .pairs : .list
        }
    }

    /// The value's name in the help; empty for a flag.
    var label: String {
        switch kind {
        case .flag: ""
        case .optional(let label, _), .value(let label, _), .list(let label, _): label
        }
    }

    /// Its name in the file.
    var key: String { String(name.drop { $0 == "-" }) }
    /// Its name in the environment.
    var variable: String { "GAMED_" + key.uppercased().replacing("-", with: "_") }

    /// Whether it says how to serve, and not to do something else instead.
    var isSetting: Bool { group != .other && group != .hidden }
    /// Whether it may stand in the configuration file.
    var isInFile: Bool { isSetting && !isForOneStart }

    /// Whether a relative value of it in a file starts at the file's own folder.
    func isPath(_ value: String) -> Bool {
        let forms = label.split(separator: "|").map(String.init)
        return !forms.contains(value) && forms.contains { ["PATH", "FILE", "DIR"].contains($0) }
    }

    static let settings = all.filter(\.isSetting)
    static let inFile = all.filter(\.isInFile)

    static func setting(_ key: String) -> Option? { settings.first { $0.key == key } }
}
