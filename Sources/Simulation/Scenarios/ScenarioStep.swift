// One step of a scenario: a command, an expectation, or a change of the flows' environment.

import Commands
import RESP
import Texts

package struct ScenarioStep: Sendable {
    enum Action: Sendable {
        /// Must succeed.
        case command([String])
        /// Must be refused with this code.
        case refusal(code: ErrorCode, of: [String])
        /// Must be answered with this.
        case reply(String, to: [String])
        case expectation(session: String, Expectation)
        case emission(session: String, ExpectedEmission)
        case startup(StartupDirective)
        /// Adds simulated devices.
        case devices(path: String)
        /// Names a flow file; it is read before any step is run.
        case flow(path: String)
    }

    /// Its line in the file, counted from 1.
    let line: Int
    /// As written, without the comment.
    let text: String
    let action: Action

    /// Nil for a line without a step.
    init?(parsing line: String, number: Int) throws(StepFault) {
        let line = LineWords.uncommented(line)
        let words: [String]
        do throws(RequestError) {
            words = try LineWords.split(line)
        } catch {
            throw StepFault("\(error)")
        }
        guard let first = words.first else { return nil }
        self.line = number
        text = Self.trimmed(line)
        action = if let word = StepWord.find(first) { try word.action(words) } else { .command(try Self.command(words)) }
    }

    /// Checks that the words are a command of the daemon, as far as possible without running it.
    static func command(_ words: [String]) throws(StepFault) -> [String] {
        guard let name = words.first else { throw StepFault("a command is missing") }
        guard let command = CommandTable.all[name] else { throw StepFault(unknown(name)) }
        guard command.words.contains(words.count) else { throw StepFault(CommandError.wrongCount(command, words).sentence) }
        return words
    }

    private static func unknown(_ name: String) -> String {
        let names = StepWord.all.map(\.name) + CommandTable.all.commands.map { $0.name.lowercased() }
        let guess = Suggestion.closest(to: name.lowercased(), among: names).map { "; did you mean '\($0)'?" }
        return "unknown step '\(name.shortened)'"
            + (guess ?? "; a step is a command of the daemon, or one of "
                + StepWord.all.map(\.name).joined(separator: ", "))
    }

    private static func trimmed(_ line: String) -> String {
        var rest = line[...]
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }
}
