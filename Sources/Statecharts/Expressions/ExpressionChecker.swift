// Checks expressions where nothing is evaluated: for the reader of files.

/// Says what is wrong with an expression's text, and what it mentions. Of one thread.
package final class ExpressionChecker {
    private let compiler: Compiler?

    /// `variables` are the names of the context.
    package init(variables: [String]) {
        do throws(LuaFailure) { compiler = Compiler(lua: try LuaState(), variables: variables) } catch { compiler = nil }
    }

    /// The byte of the text where it is wrong, and what is.
    package func problem(in text: String) -> (offset: Int, sentence: String)? {
        do throws(TextProblem) {
            _ = try mentions(in: text)
            return nil
        } catch {
            return (error.offset ?? 0, error.sentence)
        }
    }

    /// What the text mentions; nothing if something is wrong with it.
    package func mentions(_ text: String) -> ExpressionMentions {
        do throws(TextProblem) { return try mentions(in: text) } catch { return ExpressionMentions() }
    }

    /// What the text mentions; throws what is wrong with it.
    func mentions(in text: String) throws(TextProblem) -> ExpressionMentions {
        guard let compiler else { throw TextProblem(offset: 0, sentence: "there is no memory to check it with") }
        let compiled = try compiler.compile(text)
        compiler.lua.forget(compiled.function)
        return compiled.text.mentions
    }
}
