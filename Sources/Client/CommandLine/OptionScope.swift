// Where an option does something. Elsewhere it would be ignored, so it is refused with the reason.

package struct OptionScope: Sendable {
    fileprivate enum Condition: Sendable {
        /// Behind this word of its command.
        case action(String)
        /// Beside this option.
        case beside(String, reason: String)
        /// Not beside this option, if its value is one of these.
        case without(String, values: @Sendable (String) -> Bool, reason: String)
    }

    private let conditions: [Condition]

    private init(_ conditions: [Condition]) { self.conditions = conditions }

    package static let anywhere = OptionScope([])

    /// It is an option of this action of its command, such as `new` of `token`.
    package static func of(action: String) -> Self { Self([.action(action)]) }
    package static func beside(_ option: String, because reason: String) -> Self { Self([.beside(option, reason: reason)]) }
    /// Only some values of the option may be meant.
    package static func without(
        _ option: String, where values: @escaping @Sendable (String) -> Bool = { _ in true }, because reason: String
    ) -> Self {
        Self([.without(option, values: values, reason: reason)])
    }

    /// Both.
    package static func + (one: Self, other: Self) -> Self { Self(one.conditions + other.conditions) }

    /// Why the option does nothing in that command line; nil if it does something. `command` is nil where commands are read from
    /// standard input.
    func problem(of name: String, in call: Invocation, _ command: Subcommand?) -> String? {
        for condition in conditions {
            if let reason = condition.problem(in: call, command) { return "\(name) has no effect \(reason)" }
        }
        return nil
    }
}

extension OptionScope.Condition {
    fileprivate func problem(in call: Invocation, _ command: Subcommand?) -> String? {
        switch self {
        case .action(let word):
            guard let command, let action = call.words.first, action != word else { return nil }
            return "on '\(command.name) \(action.shortened)'; it is an option of '\(command.name) \(word)'"
        case .beside(let option, let reason): return call.isGiven(option) ? nil : "without \(option): \(reason)"
        case .without(let option, let values, let reason):
            let value = call.options[option] ?? ""
            guard call.isGiven(option), values(value) else { return nil }
            return "beside \(value.isEmpty ? option : "\(option) \(value.shortened)"): \(reason)"
        }
    }
}
