// A client's output, for people or for programs.

import GameFlow
import Posix
import RESP
import ReplyJSON
import Terminal

package struct Output {
    /// What the program is called, before its errors.
    let program: String
    package let isJSON: Bool
    package let style: Style
    /// Whether standard output is a terminal.
    package let isTerminal: Bool

    package init(of program: String, isJSON: Bool, style: Style, isTerminal: Bool) {
        self.program = program
        self.isJSON = isJSON
        self.style = style
        self.isTerminal = isTerminal
    }

    package func say(_ text: String) throws(ControlError) {
        try put(text + "\n")
    }

    package func say(lines: [String]) throws(ControlError) {
        if !lines.isEmpty { try say(lines.joined(separator: "\n")) }
    }

    package func say(json: JSON) throws(ControlError) {
        try say(isTerminal ? json.pretty() : json.description)
    }

    /// The text without a line end.
    package func put(_ text: String) throws(ControlError) {
        do throws(StreamError) { try StandardStream.output.put(text) } catch { throw .stream(error) }
    }

    /// In JSON, errors are on standard output like replies; for people, on standard error.
    package func complain(_ error: ControlError) throws(ControlError) {
        if isJSON {
            try say(json: Reply.errorJSON(code: error.code, message: error.sentence))
        } else {
            explain(error)
        }
    }

    /// Reports the error that ends the process, and returns its status. An error of standard output is never JSON.
    package func end(with error: ControlError) -> ControlStatus {
        do throws(ControlError) {
            if case .stream = error { throw error }
            try complain(error)
            return error.status
        } catch {
            explain(error)
            return error.status
        }
    }

    /// On standard error. If that fails too, only the exit status remains.
    private func explain(_ error: ControlError) {
        if case .stream(let error) = error, error.isReaderGone { return }
        let style = Style.of(descriptor: 2)
        try? StandardStream.error.say(style("\(program):", .bad) + " " + error.description.printableLines)
    }
}
