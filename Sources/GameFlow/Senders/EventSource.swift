// Sources of events, and the sources that may send an event.

/// The source of an event.
public enum EventSource: UInt8, BitwiseCopyable, Sendable, CaseIterable {
    /// A person at a user interface, such as the console.
    case ui
    /// A client.
    case network
    /// A Bluetooth device.
    case bluetooth
    /// A timer of the session's state.
    case timer
    /// A hook, or the work that belongs to a state.
    case orchestrator

    /// The source as clients and the history write it: its case.
    public var name: String { Self.names[Int(rawValue)] }
    private static let names = allCases.map { "\($0)" }

    /// Sources that a client may give its events.
    package static let ofClients: [EventSource] = [.ui, .network, .orchestrator]
}

/// A set of sources.
public struct EventSources: OptionSet, Sendable {
    /// A bit for each source.
    public let rawValue: UInt8

    /// The sources with a bit set in `rawValue`.
    @inlinable
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// One source alone.
    public init(_ source: EventSource) {
        rawValue = 1 << source.rawValue
    }

    /// People and things outside: a user interface, the network, Bluetooth devices.
    public static let clients = EventSources([EventSources(.ui), EventSources(.network), EventSources(.bluetooth)])
    /// The session's own timers.
    public static let timers = EventSources(.timer)
    /// For an event that both a timer and clients send, such as passing a turn.
    public static let clientsAndTimers: EventSources = [.clients, .timers]
    /// Hooks, and the work that belongs to a state.
    public static let orchestrators = EventSources(.orchestrator)
    /// Every source.
    public static let anyone: EventSources = [.clients, .timers, .orchestrators]

    /// The names of these sources.
    public var names: [String] { EventSource.allCases.filter { contains($0) }.map(\.name) }

    /// Whether the source is among these.
    @inlinable
    public func contains(_ source: EventSource) -> Bool {
        rawValue & (1 << source.rawValue) != 0
    }
}
