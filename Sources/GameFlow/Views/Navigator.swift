// Between a machine and its views: the navigator follows the state and decides what to show; views only send events.

/// Where a view sends its events.
public protocol EventSink<Event>: AnyObject {
    associatedtype Event

    /// A view has sent this.
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

/// Shows the view that belongs to the state, and another one when the state changes, or what it carries besides its timers.
///
/// The navigator holds the machine and the view that it shows; a view holds its sink, and the sink holds the machine. Nothing holds the
/// navigator: keep it for as long as it should follow.
public final class Navigator<F: Flow, View>: EventSink {
    /// A view's way back to the machine. It knows its navigator without holding it.
    public final class Sink: EventSink {
        private let machine: Machine<F>
        fileprivate weak var navigator: Navigator?

        fileprivate init(_ machine: Machine<F>) {
            self.machine = machine
        }

        public func received(_ event: F.Event) {
            navigator?.complaint = nil
            do {
                try machine.send(event, from: .ui)
            } catch {
                navigator?.complaint = "\(error)"
            }
        }
    }

    private let machine: Machine<F>
    private let sink: Sink
    private let view: (F.State, Sink) -> View
    private var observation: Observation<F.Event>?
    private var shownState: (name: String, data: JSON)?
    /// The view that belongs to the state.
    public private(set) var shown: View?
    /// The last thing that was refused, in words for people who look at the view.
    public private(set) var complaint: String?

    /// `view` makes the view of a state; it is given the sink to send events to.
    public init(_ machine: Machine<F>, view: @escaping (_ state: F.State, _ sink: Sink) -> View) {
        self.machine = machine
        self.view = view
        sink = Sink(machine)
        sink.navigator = self
        observation = machine.observe { [weak self] _ in self?.follow() }
        follow()
    }

    public func received(_ event: F.Event) { sink.received(event) }

    private func follow() {
        let data = ((try? machine.stateData()) ?? .null).withoutTimers
        if let shownState, shownState == (machine.stateName, data) { return }
        shownState = (machine.stateName, data)
        shown = view(machine.state, sink)
    }
}
