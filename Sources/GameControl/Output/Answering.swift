// Asking the daemon, and printing what it answers.

import GameClient
import ReplyJSON

extension CommandContext {
    /// Asks the daemon, and prints its answer.
    func answer(_ words: [String], formatted: Bool = true) throws(ControlError) {
        let reply = try daemon.ask(words)
        if output.isJSON { return try output.say(json: reply.json) }
        let text = ReplyText(style: output.style, isTerminal: output.isTerminal)
        try output.say(lines: formatted ? text.lines(reply, to: words) : text.plain(reply))
    }
}
