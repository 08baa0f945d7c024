// What events carry, on its way from whoever sends them to whoever keeps the history. A machine handles values of its flow's own
// types; the words that they were made of stand beside them meanwhile, and wait with an event that has to wait.

import Timers

/// What came with the event that is being handled.
@usableFromInline
struct Said {
    let machine: ObjectIdentifier
    let event: UInt16
    let source: EventSource
    let payload: Payload

    /// Other machines, and other events of this one, may have their say before this event has come to anything.
    func belongs(to machine: AnyMachine, _ cause: Cause) -> Bool {
        self.machine == ObjectIdentifier(machine) && event == cause.event && source == cause.source
    }
}

extension MachineWatcher {
    /// What came with what has just happened; nil if nothing did. Whoever asks has it, and nobody after.
    public final func takeSaid(_ machine: AnyMachine, _ cause: Cause) -> Payload? {
        guard let said, said.belongs(to: machine, cause) else { return nil }
        self.said = nil
        return said.payload
    }
}

extension AnyMachine {
    func takeSaid(_ cause: Cause) -> Payload? {
        kind.watcher?.takeUnretainedValue().takeSaid(self, cause)
    }

    /// Does something that these words belong to.
    @usableFromInline
    final func saying(_ payload: Payload?, _ cause: Cause, _ body: () throws(Refusal) -> Outcome) throws(Refusal) -> Outcome {
        guard let payload, let watcher = kind.watcher?.takeUnretainedValue() else { return try body() }
        let outer = watcher.said
        watcher.said = Said(machine: ObjectIdentifier(self), event: cause.event, source: cause.source, payload: payload)
        defer { watcher.said = outer }
        return try body()
    }
}

extension JSON {
    /// What an enum's case carries, as a client would have sent it: a single value without a label alone, others by their labels.
    /// Nil if it carries nothing, or something that no client could send.
    static func carried(by event: some Any) -> JSON? {
        let mirror = Mirror(reflecting: event)
        guard mirror.displayStyle == .enum, !(event is any NamedEvent) else { return nil }
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
