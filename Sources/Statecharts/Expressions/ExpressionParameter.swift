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

/// The texts that an expression hands to `state` and `remaining`, and what else it depends on.
package struct ExpressionMentions: Sendable, Equatable {
    package struct Name: Sendable, Equatable {
        package var text: String
        /// The byte of the expression's text where it stands, quotes included.
        package var offset: Int
    }

    package var states: [Name] = []
    package var timers: [Name] = []
    /// Indices in the context.
    package var variables: Set<Int> = []
    package var event = false
    /// `elapsed`, or `remaining` of a timer.
    package var time = false
}

// MARK: - Checks expressions where nothing is evaluated: for the reader of files

/// Finds problems in an expression's text, and the names that it mentions. Used by one thread only.
package final class ExpressionChecker {
    private let compiler: Compiler?

    /// `variables` are the names of the context.
    package init(variables: [String]) {
        do throws(LuaFailure) { compiler = Compiler(lua: try LuaState(), variables: variables) } catch { compiler = nil }
    }

    /// The text's problem, and the byte at which it is; nil if the text is valid.
    package func problem(in text: String) -> (offset: Int, sentence: String)? {
        do throws(TextProblem) {
            _ = try mentions(in: text)
            return nil
        } catch {
            return (error.offset, error.sentence)
        }
    }

    /// The names that the text mentions; throws the text's problem.
    func mentions(in text: String) throws(TextProblem) -> ExpressionMentions {
        guard let compiler else { throw TextProblem(sentence: "there is no memory to check it with") }
        let compiled = try compiler.compile(text)
        compiler.lua.forget(compiled.function)
        return compiled.text.mentions
    }
}
