// Where an option does something. Elsewhere it would be ignored, so it is refused with the reason.

package struct OptionScope: Sendable {
    /// Why an option has no effect in a command line, as words behind that; nil if it has.
    private let reason: @Sendable (Invocation, Subcommand?) -> String?

    private init(_ reason: @escaping @Sendable (Invocation, Subcommand?) -> String?) { self.reason = reason }

    package static let anywhere = OptionScope { _, _ in nil }

    /// It is an option of this action of its command, such as `new` of `token`.
    package static func of(action word: String) -> Self {
        Self { call, command in
            guard let command, let action = call.words.first, action != word else { return nil }
            return "on '\(command.name) \(action.shortened)'; it is an option of '\(command.name) \(word)'"
        }
    }

    package static func beside(_ option: String, because reason: String) -> Self {
        Self { call, _ in call.isGiven(option) ? nil : "without \(option): \(reason)" }
    }

    /// Only some values of the option may be meant.
    package static func without(
        _ option: String, where values: @escaping @Sendable (String) -> Bool = { _ in true }, because reason: String
    ) -> Self {
        Self { call, _ in
            let value = call.options[option] ?? ""
            guard call.isGiven(option), values(value) else { return nil }
            return "beside \(value.isEmpty ? option : "\(option) \(value.shortened)"): \(reason)"
        }
    }

    /// Both.
    package static func + (one: Self, other: Self) -> Self { Self { one.reason($0, $1) ?? other.reason($0, $1) } }

    /// Why the option does nothing in that command line; nil if it does something. `command` is nil where commands are read from
    /// standard input.
    func problem(of name: String, in call: Invocation, _ command: Subcommand?) -> String? {
        reason(call, command).map { "\(name) has no effect \($0)" }
    }
}
