// Where an event comes from, and who may send it.

/// The source of an event.
public enum EventSource: UInt8, Sendable, CaseIterable {
    case ui, network, bluetooth, timer, orchestrator

    public var name: String {
        switch self {
        case .ui: "ui"
        case .network: "network"
        case .bluetooth: "bluetooth"
        case .timer: "timer"
        case .orchestrator: "orchestrator"
        }
    }
}

/// A set of sources.
public struct EventSources: OptionSet, Sendable {
    public let rawValue: UInt8

    @inlinable
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    public init(_ source: EventSource) {
        rawValue = 1 << source.rawValue
    }

    /// People and things outside: a user interface, the network, Bluetooth devices.
    public static let clients = EventSources([EventSources(.ui), EventSources(.network), EventSources(.bluetooth)])
    public static let timers = EventSources(.timer)
    /// For an event that both a timer and clients send, such as passing a turn.
    public static let clientsAndTimers: EventSources = [.clients, .timers]
    public static let orchestrators = EventSources(.orchestrator)
    public static let anyone: EventSources = [.clients, .timers, .orchestrators]

    @inlinable
    public func contains(_ source: EventSource) -> Bool {
        rawValue & (1 << source.rawValue) != 0
    }
}
