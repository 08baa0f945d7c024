// When the sessions of a flow expire, and how that stands in a session's image.

import GameFlow
import Timers

/// What becomes of a flow's sessions once nobody has touched them for so long, or they have been over for so long.
package struct ExpiryRule: Equatable, Sendable {
    package enum Action: String, Sendable, CaseIterable {
        /// It is dropped.
        case drop
        /// It begins anew, with the parameters that it was begun with.
        case restart
    }

    package let flow: String
    package let length: Duration
    package let deed: Action

    /// A shorter one would begin a session anew again and again, if its flow's first state is a final one.
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

    /// How long nobody had touched the session when this was saved; nil for a flow's own timer.
    package static func untouched(in saved: TimerImage) -> Duration? {
        // The first byte tells nearly all of them apart.
        guard saved.name.utf8.first == UInt8(ascii: "-"), saved.name.hasPrefix(name + " ") else { return nil }
        let length = Duration(text: String(saved.name.dropFirst(name.count + 1)))
        return length.flatMap { length in saved.left.map { length - $0 } }
    }
}
