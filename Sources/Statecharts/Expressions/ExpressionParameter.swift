// What an expression mentions becomes a parameter of its function, so that nothing else is handed over.

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
        /// What is left of the timer with that name.
        case remaining
    }

    var kind: Kind
    /// Of a variable its place in the context, of what has a text the text's place.
    var number: Int32 = 0
}

/// The texts that an expression hands to `state` and `remaining`, and what else it depends on.
package struct ExpressionMentions: Sendable, Equatable {
    package struct Name: Sendable, Equatable {
        package var text: String
        /// The byte of the expression's text where it stands, quotes included.
        package var offset: Int
    }

    package var states: [Name] = []
    package var timers: [Name] = []
    /// Places in the context.
    package var variables: Set<Int> = []
    package var event = false
    /// `elapsed`, or `remaining` of a timer.
    package var time = false
}
