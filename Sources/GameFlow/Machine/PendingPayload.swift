// A payload on its way from the sender to the history. A machine handles values of its flow's types; meanwhile the JSON that they were
// made from is stored beside them, and waits with an event that waits.

import Timers

/// The payload of the event being handled.
@usableFromInline
struct PendingPayload {
    let machine: ObjectIdentifier
    let event: UInt16
    let source: EventSource
    let payload: Payload

    /// Whether it belongs to this machine's step: other machines and events can be handled before its own event is.
    func belongs(to machine: AnyMachine, _ cause: HistoryEntry.Cause) -> Bool {
        self.machine == ObjectIdentifier(machine) && event == cause.event && source == cause.source
    }
}

extension MachineWatcher {
    /// Returns the payload of the event just handled, once; nil if it has none.
    public final func takePayload(_ machine: AnyMachine, _ cause: HistoryEntry.Cause) -> Payload? {
        guard let pending, pending.belongs(to: machine, cause) else { return nil }
        self.pending = nil
        return pending.payload
    }
}

extension AnyMachine {
    func takePayload(_ cause: HistoryEntry.Cause) -> Payload? {
        kind.watcher?.object.takePayload(self, cause)
    }

    /// Runs `body` with this payload pending.
    @usableFromInline
    final func carrying(_ payload: Payload?, _ cause: HistoryEntry.Cause, _ body: () throws(Refusal) -> Outcome) throws(Refusal)
        -> Outcome
    {
        guard let payload, let watcher = kind.watcher?.object else { return try body() }
        let outer = watcher.pending
        watcher.pending = PendingPayload(
            machine: ObjectIdentifier(self), event: cause.event, source: cause.source, payload: payload)
        defer { watcher.pending = outer }
        return try body()
    }
}

extension JSON {
    /// An enum case's values as a client would send them: a single unlabelled value alone, others by their labels. Nil if there are none,
    /// or no client could send them.
    static func carried(by event: some Any) -> JSON? {
        if let named = event as? any NamedEvent { return named.carried }
        let mirror = Mirror(reflecting: event)
        guard mirror.displayStyle == .enum else { return nil }
        return mirror.children.first.flatMap { JSON(reflecting: $0.value) }
    }

    private init?(reflecting value: Any) {
        switch value {
        case let value as JSON: self = value
        case let value as Bool: self = .bool(value)
        case let value as any BinaryInteger: self = Int(exactly: value).map { .integer($0) } ?? .number(Double(value))
        case let value as any BinaryFloatingPoint: self = .number(Double(value))
        case let value as String: self = .string(value)
        case let value as any RawRepresentable: self.init(reflecting: value.rawValue)
        default: self.init(partsOf: Mirror(reflecting: value))
        }
    }

    private init?(partsOf mirror: Mirror) {
        switch mirror.displayStyle {
        case .optional: self = mirror.children.first.flatMap { JSON(reflecting: $0.value) } ?? .null
        case .collection: self = .array(mirror.children.compactMap { JSON(reflecting: $0.value) })
        case .tuple, .struct:
            self = .object(
                mirror.children.compactMap { child in
                    child.label.flatMap { label in JSON(reflecting: child.value).map { Member(label, $0) } }
                })
        default: return nil
        }
    }
}
