// Who sent an event, or did an operator's action, as a number.

/// An actor: a user, a token, a login of the page, a device, or a session, as its number in the host's table of names. So each event has its actor
/// at the cost of two bytes.
public struct ActorNumber: Hashable, Sendable, BitwiseCopyable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// No actor: a timer, or code of the flow's own.
    public static let none = ActorNumber(rawValue: .max)
    /// The daemon itself.
    package static let daemon = ActorNumber(rawValue: 0)
}
