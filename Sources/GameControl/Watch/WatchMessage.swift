// A change of a session, as the daemon tells its subscribers.

import GameFlow
import RESP
import Texts

package struct WatchMessage: Equatable, Sendable {
    package let session: String
    package let flow: String
    /// Nil if the session has just begun.
    package let from: String?
    /// Nil if the session is gone.
    package let to: String?
    /// Nil in a message that does not say.
    private let what: Happening?
    private let event: String?
    /// Why an event was refused.
    private let refused: String?
    private let source: String?
    private let timer: String?
    /// The message itself.
    package let json: JSON

    /// Nil if it is another kind of message.
    package init?(_ reply: Reply) {
        guard case .push(let parts) = reply, let kind = parts.first?.text, ["message", "pmessage"].contains(kind),
            let text = parts.last?.text, let json = try? JSON(parsing: text)
        else { return nil }
        self.init(json)
    }

    init?(_ json: JSON) {
        guard let session = json["session"]?.text else { return nil }
        self.session = session
        self.json = json
        (flow, event, source) = (json["flow"]?.text ?? "", json["event"]?.text, json["source"]?.text)
        let word = json["what"]?.text
        let what = Happening.allCases.first { $0.name == word }
        (self.what, timer, refused) = (what, json["timer"]?.text, json["refused"]?.text)
        from = what == .begun ? nil : json["from"]?.text
        to = what == .dropped ? nil : json["to"]?.text
    }

    /// The form of a message, for a change that the scan found.
    static func begun(_ session: String, flow: String, in state: String) -> WatchMessage? {
        WatchMessage(made(session, flow, event: "NEW", from: .null, to: .string(state)))
    }

    static func dropped(_ session: String) -> WatchMessage? {
        WatchMessage(made(session, nil, event: "DROP", from: .null, to: .null))
    }

    private static func made(_ session: String, _ flow: String?, event: String, from: JSON, to: JSON) -> JSON {
        let what: Happening = flow == nil ? .dropped : .begun
        return [
            "what": .string(what.name), "session": .string(session), "flow": flow.map { .string($0) } ?? .null,
            "event": .string(event), "source": .null, "timer": .null, "from": from, "to": to,
            "version": flow == nil ? .null : 0,
        ]
    }

    /// `room-7  introduction -> choosingEpisode  startPlaying (network)`, and what changes no state with the state that it is in.
    package var line: String {
        let name = session.printable
        guard let to else { return "\(name)  dropped" }
        guard let from else { return "\(name)  begun in \(to.printable) (\(flow.printable))" }
        let cause = timer.map { "timer \($0)" } ?? source ?? "?"
        let event = "\((event ?? what?.deed ?? "FORCE").printable) (\(cause.printable))"
        switch what {
        case nil, .taken?, .forced?, .begun?, .dropped?: return "\(name)  \(from.printable) -> \(to.printable)  \(event)"
        case .paused?, .resumed?, .extended?: return "\(name)  \(to.printable)  \(event)"
        case .postponed?, .waiting?, .ignored?, .refused?:
            let outcome = [what?.name, refused?.printable].compactMap(\.self).joined(separator: ": ")
            return "\(name)  \(to.printable)  \(event) \(outcome)"
        }
    }
}
