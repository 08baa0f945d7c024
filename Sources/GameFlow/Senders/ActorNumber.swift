// The actor of an event or an operator action, as a number.

/// The number of an actor in the host's table of names. An actor is a user, a token, a login of the page, a device or a session. It costs each
/// event two bytes.
public struct ActorNumber: Hashable, Sendable, BitwiseCopyable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// No actor: a timer or the flow itself sent the event.
    public static let none = ActorNumber(rawValue: .max)
    /// The daemon itself.
    package static let daemon = ActorNumber(rawValue: 0)
}
