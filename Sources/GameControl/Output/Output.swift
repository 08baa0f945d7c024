// What gamectl says, to people or to programs.

import GameDaemon
import GameFlow
import RESP

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

    func say(_ text: String) {
        StandardStream.output.say(text)
    }

    func say(lines: [String]) {
        if !lines.isEmpty { say(lines.joined(separator: "\n")) }
    }

    func say(json: JSON) {
        say(isTerminal ? json.pretty() : json.description)
    }

    /// Programs find errors where they find answers; people, where errors belong.
    func complain(_ error: ControlError) {
        if isJSON {
            say(json: Reply.errorJSON(code: error.code, message: error.sentence))
        } else {
            let style = Style.of(descriptor: 2)
            let text = error.description.printableLines
            StandardStream.error.say(style("gamectl:", .bad) + " " + text)
        }
    }
}
