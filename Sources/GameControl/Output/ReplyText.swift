// Replies for people, in a form for each command.

import GameClient
import RESP
import ReplyJSON
import Terminal
import Texts

package struct ReplyText {
    let style: Style
    /// A terminal shows an empty list as `none`; a program gets no lines.
    let isTerminal: Bool

    package init(style: Style, isTerminal: Bool) {
        self.style = style
        self.isTerminal = isTerminal
    }

    /// The reply to this command, in lines.
    package func lines(_ reply: Reply, to words: [String]) -> [String] {
        let name = words.count > 1 ? words[1].printable : ""
        switch (words[0].uppercased(), reply) {
        case ("NEW", .simple(let state)), ("SEND", .simple(let state)), ("FORCE", .simple(let state)),
            ("RETRY", .simple(let state)):
            return [style(state.printable, .strong)]
        case ("STATE", .map): return state(reply, of: name)
        case ("TIMERS", .array(let timers)): return orNone(self.timers(timers))
        case ("NEXT", .array(let firings)): return orNone(next(firings))
        case ("HISTORY", .array(let entries)): return orNone(history(entries))
        case ("DESCRIBE", .map): return flow(reply)
        case ("DROP", .integer(let count)): return [count == 1 ? "dropped" : "there was no session '\(name)'"]
        case ("PAUSE", .simple), ("RESUME", .simple): return [stopped(words)]
        case ("EXTEND", .integer(let left)): return ["\(Self.duration(left)) left"]
        case ("ADVANCE", .integer(let count)): return ["\(count) \(count == 1 ? "timer" : "timers") fired"]
        case ("CLOCK", .map):
            return ["\((reply["clock"]?.text ?? "").printable) time, \(Self.duration(reply["now_ms"])) since the clock began"]
        default: return plain(reply)
        }
    }

    private func stopped(_ words: [String]) -> String {
        let isPause = words[0].uppercased() == "PAUSE"
        let what = words.count > 2 ? "the timer '\(words[2].printable)'" : "the clock"
        return isPause ? "\(what) stands still" : "\(what) goes on"
    }

    func orNone(_ lines: [String]) -> [String] {
        lines.isEmpty && isTerminal ? [style("none", .faint)] : lines
    }

    // MARK: Any reply

    /// A reply without a form of its own: texts one a line, names and values side by side.
    package func plain(_ reply: Reply) -> [String] {
        switch reply {
        case .array(let replies), .set(let replies), .push(let replies):
            return orNone(replies.flatMap { isFlat($0) ? [text($0)] : plain($0) + [""] }.droppingLastBlank)
        case .map(let pairs):
            return orNone(pairs.flatMap { pair in field(text(pair.key), pair.value, width: widest(pairs)) })
        case .null, .boolean, .integer, .double, .bigNumber, .error, .verbatim, .simple, .bulk: return [text(reply)]
        }
    }

    private func widest(_ pairs: [Reply.Pair]) -> Int { pairs.map { text($0.key).displayWidth }.max() ?? 0 }

    private func field(_ name: String, _ value: Reply, width: Int) -> [String] {
        let lines = isFlat(value) ? [text(value)] : plain(value)
        guard !lines.isEmpty else { return [style(name, .faint)] }
        let margin = String(repeating: " ", count: width + 2)
        return lines.enumerated().map { index, line in
            (index == 0 ? style(name.padded(to: width), .faint) + "  " : margin) + line
        }
    }

    private func isFlat(_ reply: Reply) -> Bool {
        switch reply {
        case .array, .set, .push, .map: false
        case .null, .boolean, .integer, .double, .bigNumber, .error, .verbatim, .simple, .bulk: true
        }
    }

    func text(_ reply: Reply) -> String {
        switch reply {
        case .null: "-"
        case .boolean(let value): value ? "yes" : "no"
        case .integer(let value): "\(value)"
        case .double(let value): "\(value)"
        case .bigNumber(let digits): digits
        case .error(let code, let text): "\(code) \(text)".printable
        case .verbatim(_, let text): text.printableLines.droppingLineEnd
        case .simple, .bulk: (reply.text ?? "").printableLines.droppingLineEnd
        case .array, .set, .push, .map: reply.json.description.printable
        }
    }
}

extension [String] {
    fileprivate var droppingLastBlank: [String] { last == "" ? Array(dropLast()) : self }
}

extension String {
    fileprivate var droppingLineEnd: String {
        var text = self
        while text.hasSuffix("\n") { text.removeLast() }
        return text
    }
}

extension CommandContext {
    /// Asks the daemon, and prints its answer.
    func answer(_ words: [String], formatted: Bool = true) throws(ControlError) {
        let reply = try daemon.ask(words)
        if output.isJSON { return try output.say(json: reply.json) }
        let text = ReplyText(style: output.style, isTerminal: output.isTerminal)
        try output.say(lines: formatted ? text.lines(reply, to: words) : text.plain(reply))
    }
}
