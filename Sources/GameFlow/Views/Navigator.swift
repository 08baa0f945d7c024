// Connects a machine to its views: the navigator follows the state and decides what to show, and views only send events.

/// Where a view sends its events.
public protocol EventSink<Event>: AnyObject {
    /// The events that its views send.
    associatedtype Event

    /// Called when a view sends an event.
    func receive(_ event: Event)
}

/// Stands in for a machine, to test a view alone: it records what the view sends.
public final class RecordingSink<Event: Equatable>: EventSink {
    /// All that views have sent, in order.
    public private(set) var events: [Event] = []

    /// A sink that nothing has come to yet.
    public init() {}

    /// Writes the event down.
    public func receive(_ event: Event) {
        events.append(event)
    }

    /// Whether this event was received.
    public func received(_ event: Event) -> Bool {
        events.contains(event)
    }
}

/// Shows the state's view, and another one when the state or its data change, timers aside.
///
/// The navigator retains the machine and the view that it shows; a view retains its sink, and the sink the machine. Nothing retains the
/// navigator: keep a reference to it for as long as it should follow.
public final class Navigator<F: Flow, View>: EventSink {
    /// Sends a view's events to the machine. It does not retain its navigator.
    public final class Sink: EventSink {
        private let machine: Machine<F>
        fileprivate weak var navigator: Navigator?

        fileprivate init(_ machine: Machine<F>) {
            self.machine = machine
        }

        /// Sends the event to the machine; a refusal becomes the navigator's complaint.
        public func receive(_ event: F.Event) {
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
    private var observation: ChangeSubscription<F.Event>?
    private var shownState: (name: String, data: JSON)?
    /// The state's view.
    public private(set) var shown: View?
    /// Why the last refused event was refused, for people who look at the view.
    public private(set) var complaint: String?

    /// `view` makes a state's view, which sends its events to the sink.
    public init(_ machine: Machine<F>, view: @escaping (_ state: F.State, _ sink: Sink) -> View) {
        self.machine = machine
        self.view = view
        sink = Sink(machine)
        sink.navigator = self
        observation = machine.observe { [weak self] _ in self?.updateView() }
        updateView()
    }

    /// Sends the event to the machine, as a view does.
    public func receive(_ event: F.Event) { sink.receive(event) }

    private func updateView() {
        let data = ((try? machine.stateData()) ?? .null).withoutTimers
        if let shownState, shownState == (machine.stateName, data) { return }
        shownState = (machine.stateName, data)
        shown = view(machine.state, sink)
    }
}
