// What a user interface would show of a session, for people who build one.

import GameFlow
import RESP
import ReplyJSON
import Texts

extension ReplyText {
    /// A view as it is, on several lines.
    func view(_ reply: Reply) -> [String] {
        guard let view = try? JSON(parsing: reply.text ?? "") else { return plain(reply) }
        return view.pretty().split(separator: "\n").map(String.init)
    }

    /// The reply for a program: a view is JSON itself, and not a text that has some in it.
    static func json(_ reply: Reply, to words: [String]) -> JSON {
        guard words[0].uppercased() == "VIEW", let text = reply.text, let view = try? JSON(parsing: text) else {
            return reply.json
        }
        return view
    }

    /// A line for each event: its name, its label, and what it carries.
    func events(_ events: [Reply]) -> [String] {
        let rows = events.map { event in
            [
                event["event"].map(text) ?? "-", event["label"].map(text) ?? "-", event["payload"].map(text) ?? "-",
                sources(event["from"]),
            ]
        }
        guard !rows.isEmpty else { return [] }
        let lines = TextColumns.lines([["EVENT", "LABEL", "CARRIES", "FROM"]] + rows)
        return [style(lines[0], .faint)] + lines.dropFirst()
    }

    /// Who may send an event, separated by commas.
    func sources(_ names: Reply?) -> String {
        guard case .array(let names)? = names else { return "-" }
        return names.isEmpty ? "the flow itself" : names.map { self.text($0) }.joined(separator: ", ")
    }
}
