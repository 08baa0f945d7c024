// The history of a session in a test.

/// Something that has happened to a session in a test.
public struct TestEntry: Sendable, Equatable, CustomStringConvertible {
    /// How long after the session's beginning.
    public let at: Duration
    /// The outcome of an event, or an override.
    public let kind: HistoryEntry.Kind
    /// The event's name; nil for an override.
    public let event: String?
    /// The event's payload; nil if it has none.
    public let payload: JSON?
    /// The source of the event, or of the override.
    public let source: EventSource
    /// The name of the state before.
    public let from: String
    /// The name of the state after; the same if the event was refused or postponed.
    public let to: String
    /// Why the event was refused; nil if it was not.
    public let refusal: String?

    /// `5s taken timeIsUp: hydrating -> error`.
    public var description: String {
        let event = event.map { " \($0)" } ?? ""
        let way = from == to ? from : "\(from) -> \(to)"
        return "\(at.written) \(kind.name)\(event): \(way)" + (refusal.map { " (\($0))" } ?? "")
    }
}

/// Gives the one session of a test its name, and records what happens to it.
final class TestWatcher: MachineWatcher {
    private let name: String
    private let start: Instant
    private(set) var history: [TestEntry] = []
    private(set) var times: [String: Duration] = [:]
    private var entered: Instant

    init(_ name: String, at start: Instant) {
        (self.name, self.start, entered) = (name, start, start)
    }

    override func name(of machine: AnyMachine) -> String { name }

    override func record(_ entry: borrowing HistoryEntry, of machine: AnyMachine) {
        let (from, to) = (machine.kind.stateName(at: entry.from), machine.kind.stateName(at: entry.to))
        let payload = entry.payload ?? takePayload(machine, entry.cause)?.kept
        history.append(
            TestEntry(
                at: time(of: machine), kind: entry.kind, event: entry.eventName(in: machine.kind),
                payload: payload.map { (try? JSON(parsing: $0)) ?? .string($0) }, source: entry.cause.source, from: from,
                to: to,
                refusal: entry.refusal(in: machine.kind)))
        guard entry.kind.isChange, from != to || entry.kind == .forced else { return }
        times[from, default: .zero] += entered.duration(to: entry.at)
        entered = entry.at
    }

    /// The sender of the event has got this refusal.
    func record(_ refusal: Refusal, of event: some Sendable, from source: EventSource, _ machine: AnyMachine) {
        history.append(
            TestEntry(
                at: time(of: machine), kind: .refused, event: caseName(of: event), payload: JSON.carried(by: event),
                source: source, from: machine.stateName, to: machine.stateName, refusal: refusal.description))
    }

    private func time(of machine: AnyMachine) -> Duration { start.duration(to: machine.timekeeper.now) }
}
