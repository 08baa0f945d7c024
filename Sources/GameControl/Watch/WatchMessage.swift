// The daemon's messages to watchers: everything that happens to a session, and its views.

import GameFlow
import RESP
import Texts

/// One message of a subscription.
package enum WatchNews {
    /// Something has happened to a session.
    case happened(WatchMessage)
    /// A session as it is now; nil if there is no session of that name.
    case view(String, WatchedSession?)

    /// Nil for a reply that is no message, such as the confirmation of a subscription.
    package init?(_ reply: Reply) {
        guard case .push(let parts) = reply, parts.count >= 3, let kind = parts[0].text,
            ["message", "pmessage"].contains(kind),
            let channel = parts[parts.count - 2].text, let text = parts[parts.count - 1].text,
            let json = try? JSON(parsing: text)
        else { return nil }
        if channel.hasPrefix("view:") {
            self = .view(String(channel.dropFirst("view:".count)), WatchedSession(view: json))
        } else {
            guard let message = WatchMessage(json) else { return nil }
            self = .happened(message)
        }
    }
}

/// Something that has happened to a session.
package struct WatchMessage: Equatable, Sendable {
    package let session: String
    package let what: HistoryEntry.Kind
    /// The message itself.
    package let json: JSON

    /// Nil if it is another kind of message, perhaps of a newer daemon.
    init?(_ json: JSON) {
        guard let session = json["session"]?.text, let word = json["what"]?.text,
            let what = HistoryEntry.Kind.allCases.first(where: { $0.name == word })
        else { return nil }
        (self.session, self.what, self.json) = (session, what, json)
    }

    /// `room-7  introduction -> choosingEpisode  startPlaying (network)`, and what changes no state with the state that it is in.
    package var line: String {
        let by = "(\(cause))"
        let outcome =
            switch what {
            case .taken: "\(change)  \(text("event")) \(by)"
            case .forced: "\(change)  FORCE \(by)"
            case .postponed, .waiting, .ignored: "\(text("to"))  \(text("event")) \(by) \(what.name)"
            case .refused: "\(text("to"))  \(text("event")) \(by) refused: \(text("refused"))"
            case .paused, .resumed, .extended: "\(text("to"))  \(deed) \(by)"
            case .begun: "begun in \(text("to")) (\(text("flow")))"
            case .dropped: "dropped"
            }
        return "\(session)  \(outcome)".printable
    }

    private var change: String { stateChange(from: text("from"), to: text("to")) }

    /// `PAUSE`, or `PAUSE tick` of a timer.
    private var deed: String { [what.deed, json["timer"]?.text].compactMap(\.self).joined(separator: " ") }

    private func text(_ name: String) -> String { json[name]?.text ?? "?" }

    /// The actor, the timer that fired, or the kind of client.
    private var cause: String {
        if let actor = json["actor"]?.text { return actor }
        guard what.deed == nil, let timer = json["timer"]?.text else { return text("source") }
        return "timer \(timer)"
    }
}
