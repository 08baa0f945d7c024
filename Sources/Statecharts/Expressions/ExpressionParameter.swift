// Parameters of an expression's function: one for each name that the expression mentions, so that nothing else is handed over.

/// A value that is handed over for one name. Its text, if it has one, is among the texts of its owner.
struct ExpressionParameter: BitwiseCopyable {
    enum Kind: UInt8, BitwiseCopyable {
        case variable
        /// The whole event, as a table.
        case event
        /// One field of it, by name.
        case eventField
        case source
        case elapsed
        case session
        case parent
        /// Whether the state with that path is active.
        case active
        /// The remaining time of the timer with that name.
        case remaining
    }

    var kind: Kind
    /// A variable's index in the context, or the index of the parameter's text.
    var number: Int32 = 0
}

/// The texts that an expression hands to `state` and `remaining`, and the fields of its event.
struct ExpressionMentions {
    struct Name {
        var text: String
        /// The byte of the expression's text where it stands, quotes included.
        var offset: Int
    }

    var states: [Name] = []
    var timers: [Name] = []
    /// Each field once. None if there are functions, which may declare the name `event`.
    var fields: [Name] = []
}
