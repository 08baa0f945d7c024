// Replies for people, in a form for each command.

import Client
import Commands
import GameFlow
import RESP
import Terminal
import Texts

package struct ReplyText {
    let style: Style

    /// The reply to this command, in lines; an empty list has none.
    package func lines(_ reply: Reply, to words: [String]) -> [String] {
        let name = words.count > 1 ? words[1].printable : ""
        switch (words[0].uppercased(), reply) {
        case ("SEND", .simple(let reply)): return [sent(reply)]
        case ("WITHDRAW", .simple(let event)): return ["'\(event.printable)' is withdrawn"]
        case ("NEW", .simple(let state)), ("FORCE", .simple(let state)),
            ("RETRY", .simple(let state)), ("RESTART", .simple(let state)), ("UNDROP", .simple(let state)):
            return [style(state.printable, .strong)]
        case ("STATE", .map): return state(reply, of: name)
        case ("VIEW", .bulk): return view(reply)
        case ("EVENTS", .array(let events)) where words.count > 2: return self.events(events)
        case ("TIMERS", .array(let timers)): return self.timers(timers)
        case ("NEXT", .array(let firings)): return next(firings)
        case ("HISTORY", .array(let entries)): return history(entries)
        case ("DESCRIBE", .map): return flow(reply)
        case ("DROP", .integer): return ["dropped"]
        case ("PAUSE", .simple), ("RESUME", .simple): return [stopped(words)]
        case ("EXTEND", .integer(let left)): return [extended(words.last ?? "", left: left)]
        case ("ADVANCE", .integer(let count)): return ["\("timer".counted(count)) fired"]
        case ("INFO", .verbatim(_, "")): return []
        case ("CLOCK", .map):
            return ["\((reply["clock"]?.text ?? "").printable) time, \(Self.duration(reply["now_ms"])) since the clock began"]
        default: return plain(reply)
        }
    }

    /// The state, and whether the event waits there or was ignored.
    private func sent(_ reply: String) -> String {
        let words = reply.split(separator: " ", maxSplits: 1).map(String.init)
        guard words.count == 2, ["POSTPONED", "IGNORED"].contains(words[0]) else { return style(reply.printable, .strong) }
        return style(words[1].printable, .strong) + " (the event is \(words[0].lowercased()))"
    }

    private func stopped(_ words: [String]) -> String {
        let isPause = words[0].uppercased() == "PAUSE"
        let what = words.count > 2 ? "the timer '\(words[2].printable)'" : "the clock"
        return isPause ? "\(what) is paused" : "\(what) is running"
    }

    /// A number without a unit is milliseconds, so the added time is printed with its unit.
    private func extended(_ added: String, left: Int) -> String {
        let text = "\(Self.duration(left)) left"
        guard let added = Duration(text: added) else { return text }
        // It may have had less than that.
        if added < .zero, left == 0 { return "removed all remaining time: the timer fires now" }
        return (added < .zero ? "removed \((.zero - added).written)" : "added \(added.written)") + "; " + text
    }

    /// The meaning of an empty list.
    package static func absence(_ words: [String]) -> String {
        let session = words.count > 1 ? words[1].printable : ""
        switch words[0].uppercased() {
        case "TIMERS": return "'\(session)' has no timers in its state"
        case "EVENTS": return "'\(session)' accepts no events in its state"
        // The first entry is that of its creation.
        case "HISTORY": return "the history entries of '\(session)' are no longer kept"
        case "NEXT": return "no timer is running"
        case "INFO": return "there is no such section; without a word, 'info' shows all"
        case "BLUETOOTH": return "there are no devices; start gamed with --bluetooth FILE"
        default: return "none"
        }
    }

    // MARK: Any reply

    /// A reply without a special form: texts one a line, names and values side by side.
    package func plain(_ reply: Reply) -> [String] {
        switch reply {
        case .array(let replies), .set(let replies), .push(let replies):
            return replies.flatMap { isFlat($0) ? [text($0)] : plain($0) + [""] }.droppingLastBlank
        case .map(let pairs):
            let width = pairs.map { text($0.key).displayWidth }.max() ?? 0
            return pairs.flatMap { pair in field(text(pair.key), pair.value, width: width) }
        case .null, .boolean, .integer, .double, .bigNumber, .error, .verbatim, .simple, .bulk: return [text(reply)]
        }
    }

    private func field(_ name: String, _ value: Reply, width: Int) -> [String] {
        let lines = isFlat(value) ? [text(value)] : plain(value)
        guard !lines.isEmpty else { return [style(name.padded(to: width), .faint) + "  " + style("none", .faint)] }
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
    /// Asks the daemon, and prints its answer as it is. A refused command of a transaction is an error within the reply to EXEC.
    func answer(raw words: [String]) throws(ControlError) -> ControlStatus {
        if let reason = words.reasonNotToSend { throw .usage("\(subcommands.program) \(reason)") }
        let reply = try daemon.ask(words)
        // A new connection is what RESET leaves, but for RESP2.
        if words[0].uppercased() == "RESET" { daemon.disconnect() }
        try output.write(json: reply.json, lines: ReplyText(style: output.style).plain(reply), absence: "none")
        return reply.elements.contains { if case .error = $0 { true } else { false } } ? .refused : .accepted
    }

    /// A session that does not exist gets the closest name of those that do.
    private func ask(_ words: [String]) throws(ControlError) -> Reply {
        do throws(ControlError) {
            return try daemon.ask(words)
        } catch {
            guard !output.isJSON, case .refused(.noSession, _) = error, words.count > 1,
                let near = Suggestion.closest(to: words[1], among: LiveNames(daemon: daemon).sessions(beginningWith: "")),
                near != words[1]
            else { throw error }
            let sentence = "there is no session '\(words[1].shortened)'; did you mean '\(near.shortened)'?"
            throw .refused(code: .noSession, sentence: sentence)
        }
    }

    /// The error of words that do not fit their command, which the daemon explains in its own syntax; nil if they do.
    private func usageError(_ words: [String]) -> ControlError? {
        guard let arguments = CommandTable.all[words[0]]?.arguments, let subcommand = subcommands.find(words[0]),
            let problem = ArgumentPlaces(of: arguments, in: Array(words.dropFirst())).problem
        else { return nil }
        return .usage("\(problem); usage: \(subcommands.program) \(subcommand.syntax)")
    }

    /// Asks the daemon, and prints its answer in the form that the command has.
    func answer(_ words: [String]) throws(ControlError) -> ControlStatus {
        let (reply, gap): (Reply, String?)
        do throws(ControlError) {
            (reply, gap) = words[0].uppercased() == "NEXT" ? try daemon.askNext(words) : (try ask(words), nil)
        } catch .refused(.generic, let sentence) {
            throw usageError(words) ?? .refused(code: .generic, sentence: sentence)
        }
        // A missing session cannot be dropped.
        if words[0] == "DROP", reply == .integer(0) {
            throw .refused(code: .noSession, sentence: "there is no session '\(words[1].shortened)'")
        }
        try output.write(
            json: ReplyText.json(reply, to: words), lines: ReplyText(style: output.style).lines(reply, to: words),
            absence: gap == nil ? ReplyText.absence(words) : nil)
        if let gap { output.remark(gap) }
        return gap == nil ? .accepted : .refused
    }
}

// MARK: - A session's view, for developers of user interfaces

extension ReplyText {
    /// A view as it is, on several lines.
    func view(_ reply: Reply) -> [String] {
        guard let view = try? JSON(parsing: reply.text ?? "") else { return plain(reply) }
        return view.pretty().split(separator: "\n").map(String.init)
    }

    /// The reply for a program: views and schemas are JSON themselves, and not texts that have some in them; INFO is an object of
    /// sections.
    package static func json(_ reply: Reply, to words: [String]) -> JSON {
        switch (words[0].uppercased(), reply.text) {
        case ("VIEW", let text?): (try? JSON(parsing: text)) ?? reply.json
        case ("INFO", let text?): sections(text)
        case ("EVENTS", _): reply.json(parsing: ["payload"])
        case ("DESCRIBE", _): reply.json(parsing: ["schema", "default", "fields"])
        default: reply.json
        }
    }

    /// Sections by their names in INFO, each an object of its fields; numbers stay numbers.
    private static func sections(_ text: String) -> JSON {
        var sections: [(name: String, fields: [JSON.Member])] = []
        for line in text.split(whereSeparator: \.isNewline) {
            if line.hasPrefix("# ") {
                sections.append((line.dropFirst(2).lowercased(), []))
            } else if let colon = line.firstIndex(of: ":"), !sections.isEmpty {
                let value = String(line[line.index(after: colon)...])
                let number = Int(value).flatMap { String($0) == value ? $0 : nil }
                sections[sections.count - 1].fields.append(
                    JSON.Member(String(line[..<colon]), number.map { .integer($0) } ?? .string(value)))
            }
        }
        return .object(sections.map { JSON.Member($0.name, .object($0.fields)) })
    }

    /// A line for each event: its name, its label, and its payload.
    func events(_ events: [Reply]) -> [String] {
        let rows = events.map { event in
            [
                event["event"].map(text) ?? "-", event["label"].map(text) ?? "-", event["payload"].map(text) ?? "-",
                sources(event["from"]),
            ]
        }
        return table(["EVENT", "LABEL", "CARRIES", "FROM"], rows)
    }

    /// The sources that may send an event, separated by commas.
    func sources(_ names: Reply?) -> String {
        guard case .array(let names)? = names else { return "-" }
        return names.isEmpty ? "the flow itself" : names.map { self.text($0) }.joined(separator: ", ")
    }
}

extension Int {
    /// `1.4 GB`, rounded.
    var bytesWritten: String {
        for (unit, name) in [(1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")] where self >= unit {
            let tenths = (self / (unit / 20) + 1) / 2
            return "\(tenths / 10).\(tenths % 10) \(name)"
        }
        return "\(self) bytes"
    }
}

extension [String] {
    /// The reason if later replies could not be read, or messages would not be shown.
    fileprivate var reasonNotToSend: String? {
        let name = self[0].uppercased()
        if name == "HELLO", count > 1, self[1] == "2" { return "reads RESP3; redis-cli shows replies as RESP2 has them" }
        guard name.hasSuffix("SUBSCRIBE"), !name.hasSuffix("UNSUBSCRIBE") else { return nil }
        return "prints no messages; 'watch' shows sessions live, and redis-cli prints messages"
    }
}
