// One step of a scenario: a command, something that is expected, or what the world around the flows is like.

import Commands
import RESP
import Texts

package struct ScenarioStep: Sendable {
    enum Action: Sendable {
        /// It must not be refused.
        case command([String])
        /// It must be refused, with this code.
        case refusal(code: String, of: [String])
        /// It must be answered like this.
        case reply(String, to: [String])
        case expectation(session: String, Expectation)
        case startup(StartupDirective)
        /// Simulated devices that are there from now on.
        case devices(path: String)
    }

    /// Where it stands in its file, counted from 1.
    let line: Int
    /// As it was written, without its comment.
    let text: String
    let action: Action

    /// Nil if the line says nothing.
    init?(parsing line: String, number: Int) throws(StepFault) {
        let line = LineWords.uncommented(line)
        let words: [String]
        do throws(RequestError) {
            words = try LineWords.split(line)
        } catch {
            throw StepFault("\(error): a quote must be closed, and a blank must follow it")
        }
        guard let first = words.first else { return nil }
        self.line = number
        text = Self.trimmed(line)
        action = if let word = StepWord.find(first) { try word.action(words) } else { .command(try Self.command(words)) }
    }

    /// Words that are a command of the daemon, as far as that can be told without running it.
    static func command(_ words: [String]) throws(StepFault) -> [String] {
        guard let name = words.first else { throw StepFault("a command is missing") }
        guard let command = CommandTable.all[name] else { throw StepFault(unknown(name)) }
        guard command.words.contains(words.count) else { throw StepFault(CommandError.wrongCount(command).sentence) }
        return words
    }

    private static func unknown(_ name: String) -> String {
        let names = StepWord.all.map(\.name) + CommandTable.all.commands.map { $0.name.lowercased() }
        let guess = Suggestion.closest(to: name.lowercased(), among: names).map { "; did you mean '\($0)'?" }
        return "unknown step '\(name.shortened)'"
            + (guess ?? "; a step is a command of gamed, or one of "
                + StepWord.all.map(\.name).joined(separator: ", "))
    }

    private static func trimmed(_ line: String) -> String {
        var rest = line[...]
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }
}
