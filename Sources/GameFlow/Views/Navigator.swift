// Between a machine and its views: the navigator follows the state and decides what to show; views only send events.

/// Where a view sends its events.
public protocol EventSink<Event>: AnyObject {
    associatedtype Event

    func received(_ event: Event)
}

/// Stands in for a machine, so that a view can be tested alone: it writes down what the view sent.
public final class RecordingSink<Event: Equatable>: EventSink {
    public private(set) var events: [Event] = []

    public init() {}

    public func received(_ event: Event) {
        events.append(event)
    }

    /// Whether this event has come.
    public func received(_ event: Event) -> Bool {
        events.contains(event)
    }
}

/// Shows the view that belongs to the state, and another one when the state calls for another.
public final class Navigator<F: Flow, View>: EventSink {
    private let machine: Machine<F>
    private let view: (F.State, Navigator<F, View>) -> View
    private var observation: Observation<F.Event>?
    private var shownName = ""
    public private(set) var shown: View?
    /// The last thing that was refused, in words for whoever looks at the view.
    public private(set) var complaint: String?

    /// `view` makes the view of a state; it is given the navigator to send events to.
    public init(_ machine: Machine<F>, view: @escaping (F.State, Navigator<F, View>) -> View) {
        self.machine = machine
        self.view = view
        observation = machine.observe { [weak self] _ in self?.follow() }
        follow()
    }

    public func received(_ event: F.Event) {
        complaint = nil
        do {
            try machine.send(event, from: .ui)
        } catch {
            complaint = "\(error)"
        }
    }

    private func follow() {
        guard shownName != machine.stateName else { return }
        shownName = machine.stateName
        shown = view(machine.state, self)
    }
}
