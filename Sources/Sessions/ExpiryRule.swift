// When the sessions of a flow expire, and how that stands in a session's image.

import GameFlow
import Timers

/// Action on a flow's sessions that had no activity, or have been over, for a given time.
package struct ExpiryRule: Equatable, Sendable {
    package enum Action: String, Sendable, CaseIterable {
        /// It is dropped.
        case drop
        /// It is restarted with its original parameters.
        case restart
    }

    package let flow: String
    package let length: Duration
    package let deed: Action

    /// A shorter length would restart a session repeatedly if its flow's first state is final.
    package static let minLength = Duration.seconds(1)
    /// The name of its timer, and of its actor in the history.
    package static let name = "--expire"

    package init(flow: String, length: Duration, deed: Action) {
        (self.flow, self.length, self.deed) = (flow, length, deed)
    }

    // MARK: In an image

    /// In a session's image it is one more timer. Its name says of how much something is left, since the rule may be another at the
    /// next start; no flow's timer has a space in its name.
    package var savedName: String { "\(Self.name) \(length.written)" }

    /// Time without activity when the session was saved; nil for a flow's own timer.
    package static func untouched(in saved: TimerImage) -> Duration? {
        // The first byte tells nearly all of them apart.
        guard saved.name.utf8.first == UInt8(ascii: "-"), saved.name.hasPrefix(name + " ") else { return nil }
        let length = Duration(text: String(saved.name.dropFirst(name.count + 1)))
        return length.flatMap { length in saved.left.map { length - $0 } }
    }
}
