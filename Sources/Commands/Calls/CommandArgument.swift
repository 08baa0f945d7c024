// A command's arguments as they are documented: in its syntax, by COMMAND DOCS, and by the HTTP API.

/// One argument of a command, or a group of them.
package struct CommandArgument: Equatable, Sendable {
    package indirect enum Kind: Equatable, Sendable {
        /// A value that the caller chooses.
        case value
        /// A literal word.
        case word
        case oneOf([CommandArgument])
        /// All of these, in order.
        case block([CommandArgument])
    }

    package let name: String
    package var kind: Kind
    /// The keyword before it, or the literal word.
    package var token: String?
    package var isOptional = false
    package var isRepeated = false
    /// The type of its value.
    package var type = ArgumentType.text
    /// A description for the documentation of the HTTP API; may be empty.
    package var summary = ""
    /// Its name in a JSON object, if that differs.
    private let ownMember: String?
    package var member: String { ownMember ?? token?.lowercased() ?? name }

    package init(
        _ name: String, _ kind: Kind = .value, token: String? = nil, isOptional: Bool = false, isRepeated: Bool = false,
        type: ArgumentType = .text, summary: String = "", member: String? = nil
    ) {
        (self.name, self.kind, self.token, self.isOptional) = (name, kind, token, isOptional)
        (self.isRepeated, self.type, self.summary) = (isRepeated, type, summary)
        ownMember = member
    }

    static func word(_ word: String, isOptional: Bool = false) -> CommandArgument {
        CommandArgument(word.lowercased(), .word, token: word, isOptional: isOptional)
    }

    /// One of these: capitals and digits are typed as they are, all else stands for something.
    static func choice(
        _ words: [String], isOptional: Bool = false, summary: String = "", member: String? = nil
    ) -> CommandArgument {
        let choices = words.map { $0.contains(where: \.isLowercase) ? CommandArgument($0) : .word($0) }
        guard choices.count > 1 || isOptional else { return choices[0] }
        return CommandArgument(
            choices[0].name, .oneOf(choices), isOptional: isOptional, type: .choice(words), summary: summary, member: member)
    }

    /// A keyword and what follows it; a single required value takes it as its token.
    static func keyword(_ token: String, _ followers: [CommandArgument], isOptional: Bool = false) -> CommandArgument {
        guard let first = followers.first else { return .word(token, isOptional: isOptional) }
        if followers.count == 1, first.kind == .value, !first.isOptional {
            var argument = first
            (argument.token, argument.isOptional) = (token, isOptional)
            return argument
        }
        return CommandArgument(token.lowercased(), .block(followers), token: token, isOptional: isOptional)
    }

    // MARK: As text

    /// As people read it: `[COUNT n]`, `name [name …]`, `DOT|MERMAID|SVG`.
    package var syntax: String {
        let text = [keyword, parts].compactMap(\.self).joined(separator: " ")
        return isOptional ? "[\(text)\(isRepeated ? " …" : "")]" : isRepeated ? "\(text) [\(parts ?? "") …]" : text
    }

    private var keyword: String? { kind == .word ? nil : token }

    private var parts: String? {
        switch kind {
        case .value: name
        case .word: token ?? name
        case .oneOf(let choices): choices.map(\.syntax).joined(separator: "|")
        case .block(let parts): parts.map(\.syntax).joined(separator: " ")
        }
    }
}

// MARK: - The types of arguments, for the check of JSON bodies and for the documentation.

package enum ArgumentType: Equatable, Sendable {
    case text, flag, object, any
    /// A whole number, from there on.
    case integer(from: Int)
    case choice([String])
    /// A duration: `10s`, `-1m`, or milliseconds.
    case duration
    /// `12` or `"3:12"`.
    case version
}
