// What a user interface would show of a session, for people who build one.

import GameFlow
import RESP
import Texts

extension ReplyText {
    /// A view as it is, on several lines.
    func view(_ reply: Reply) -> [String] {
        guard let view = try? JSON(parsing: reply.text ?? "") else { return plain(reply) }
        return view.pretty().split(separator: "\n").map(String.init)
    }

    /// The reply for a program: a view is JSON itself, and not a text that has some in it; INFO is an object of sections.
    package static func json(_ reply: Reply, to words: [String]) -> JSON {
        guard let text = reply.text else { return reply.json }
        switch words[0].uppercased() {
        case "VIEW": return (try? JSON(parsing: text)) ?? reply.json
        case "INFO": return sections(text)
        default: return reply.json
        }
    }

    /// Sections by their names as INFO takes them, each an object of its fields; what is a number there is one here.
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
