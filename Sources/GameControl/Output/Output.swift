// What gamectl says, to people or to programs.

import GameDaemon
import GameFlow
import RESP
import StandardStreams

package struct Output {
    package let isJSON: Bool
    package let style: Style
    /// Whether people look at it as it is written.
    let isTerminal: Bool

    init(isJSON: Bool, style: Style, isTerminal: Bool) {
        self.isJSON = isJSON
        self.style = style
        self.isTerminal = isTerminal
    }

    func say(_ text: String) throws(ControlError) {
        try put(text + "\n")
    }

    func say(lines: [String]) throws(ControlError) {
        if !lines.isEmpty { try say(lines.joined(separator: "\n")) }
    }

    func say(json: JSON) throws(ControlError) {
        try say(isTerminal ? json.pretty() : json.description)
    }

    /// The text without a line end.
    func put(_ text: String) throws(ControlError) {
        do throws(StreamError) { try StandardStream.output.put(text) } catch { throw .stream(error) }
    }

    /// Programs find errors where they find answers; people, where errors belong.
    func complain(_ error: ControlError) throws(ControlError) {
        if isJSON {
            try say(json: Reply.errorJSON(code: error.code, message: error.sentence))
        } else {
            explain(error)
        }
    }

    /// The last words, and the status to end with. That there is nowhere to say something in JSON is said to people.
    func end(with error: ControlError) -> ControlStatus {
        do throws(ControlError) {
            if case .stream = error { throw error }
            try complain(error)
            return error.status
        } catch {
            explain(error)
            return error.status
        }
    }

    /// On standard error. Where even that cannot be said, the exit status has to do.
    private func explain(_ error: ControlError) {
        if case .stream(let error) = error, error.isReaderGone { return }
        let style = Style.of(descriptor: 2)
        try? StandardStream.error.say(style("gamectl:", .bad) + " " + error.description.printableLines)
    }
}
