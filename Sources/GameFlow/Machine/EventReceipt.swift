// The outcome of an event that had to wait, for its sender.

/// Gives an event's sender the decision, once, if the event waits for an asynchronous hook or behind one.
public final class EventReceipt {
    private var sender: Completions<Result<Outcome, Refusal>>
    /// The id that the event was sent with; nil if it has none.
    let id: EventID?
    /// Ends the waiting; released once the event is decided.
    package var deadline: AnyObject?

    /// The same for an event with an id, which is saved with the event.
    package init(of id: EventID?, _ onDecision: @escaping (Result<Outcome, Refusal>) -> Void) {
        self.id = id
        sender = Completions(onDecision)
    }

    /// `onDecision` is called when the event is decided, or can never be: its session was dropped, or forced into another state.
    public convenience init(_ onDecision: @escaping (Result<Outcome, Refusal>) -> Void) { self.init(of: nil, onDecision) }

    func complete(with result: Result<Outcome, Refusal>) {
        deadline = nil
        sender.takeAll().complete(with: result)
    }
}

extension Machine {
    /// Withdraws the event of that receipt, notifies its sender and observers, and continues with the events that wait behind it.
    func withdrawEvent(_ receipt: EventReceipt, _ refusal: Refusal) {
        guard let extras else { return }
        if let step = extras.pending, step.queued.receipt === receipt {
            abandonWait(refusal)
            drainQueue()
        } else if let index = extras.queue.firstIndex(where: { $0.receipt === receipt }) {
            let event = extras.queue.remove(at: index)
            release(event.payload)
            refuse(event, refusal)
        }
    }
}

// MARK: - An event of a flow, for code that does not know its types.

/// An event that a machine accepts now.
public struct AcceptedEvent: Sendable, Equatable {
    /// The name that clients send.
    public let name: String
    /// The text of a button for it.
    public let label: String
    /// The payload's declaration; nil for an event without a payload.
    public let payload: PayloadKind?
    /// The sources that may send the event.
    public let sources: EventSources
    /// Whether views offer it to clients that may send it.
    let isOffered: Bool
}

extension AcceptedEvent {
    /// Whether people or things outside may send it.
    public var isForClients: Bool { !sources.isDisjoint(with: .clients) }

    /// The description a user interface needs to offer the event: `{"event":"startPlaying","label":"Start playing","payload":null}`.
    /// An event that no person may send also has its sources.
    var action: JSON {
        .object(having: [
            "event": .string(name), "label": .string(label), "payload": payload?.schema ?? .null,
            "sources": sources.contains(.ui) ? nil : .array(sources.names.map { .string($0) }),
        ])
    }

    init(_ spec: EventSpec<some Sendable>) {
        self.init(name: spec.name, label: spec.label, payload: spec.payload, sources: spec.sources, isOffered: spec.isOffered)
    }
}
