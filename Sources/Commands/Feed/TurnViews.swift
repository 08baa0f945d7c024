// The views that are sent at the end of a turn. Each is written once, for subscribers on the wire and streams of the page.

import GameFlow
import Memory
import Sessions

package final class TurnViews {
    private let sessions: Sessions
    private var texts: [ByteString: String] = [:] {
        didSet { hasTexts = !texts.isEmpty }
    }
    private var hasTexts = false

    /// The flight record's mark while a view is written.
    private let mark: UInt16

    init(of sessions: Sessions, mark: UInt16) { (self.sessions, self.mark) = (sessions, mark) }

    /// The session's view as it is now; null if there is no such session.
    package func text(of name: ByteString) -> String {
        if let known = texts[name] { return known }
        let text = sessions.find(name).map(write) ?? "null"
        texts[name] = text
        return text
    }

    /// Called at the end of each turn: sessions may have changed since the last one.
    func forget() { if hasTexts { texts = [:] } }

    /// A flow's own code writes the view and may trap. The flight record then names the session.
    private func write(_ session: Session) -> String {
        if let flight = sessions.flightRecorder {
            _ = flight.enter(session.withMachine { FlightMark(.command, mark, of: $0) })
        }
        defer { sessions.flightRecorder?.leave(0) }
        return viewText(of: session)
    }
}
