// The words of the command line as options and their values.

import Posix
import Texts

extension Option {
    /// What takes a flag back that a configuration file has set: `--http-open=false`.
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
