// The arguments of gamectl's own subcommands, which have no description but their syntax.

import Commands

extension CommandArgument {
    /// Stand for something, and are not typed as they are.
    private static let placeholders: Set = ["FILE", "DIR", "NAME", "WORD", "PATTERN", "HOST:PORT", "PATH", "GLOB"]

    /// The arguments in a syntax such as `watch [GLOB]`. Options and their values are left out.
    static func list(inSyntax syntax: String) -> [CommandArgument] {
        var (arguments, isValue) = ([CommandArgument](), false)
        for part in syntax.split(separator: " ").dropFirst() {
            let word = part.filter { !"[]…".contains($0) }
            if part.contains("…"), !arguments.isEmpty { arguments[arguments.count - 1].isRepeated = true }
            if word.hasPrefix("--") {
                isValue = !part.hasSuffix("]")
            } else if isValue {
                isValue = false
            } else if !word.isEmpty {
                arguments.append(argument(word, isOptional: part.hasPrefix("[")))
            }
        }
        return arguments
    }

    /// `bash|zsh|fish` and `OFF` are typed as they are; `FILE` and `session` stand for something.
    private static func argument(_ text: String, isOptional: Bool) -> CommandArgument {
        let words = text.split(separator: "|").map(String.init)
        let isPlaceholder =
            words.contains(where: placeholders.contains) || words.count == 1 && text.contains(where: \.isLowercase)
        guard !isPlaceholder else { return CommandArgument(text, isOptional: isOptional) }
        return CommandArgument(
            text, .oneOf(words.map { CommandArgument($0, .word, token: $0) }), isOptional: isOptional)
    }
}
