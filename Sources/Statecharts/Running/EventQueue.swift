// The events that a step has raised and that are still to be handled.

/// First in, first out, with both in constant time.
struct EventQueue {
    private var events: [ChartEvent] = []
    private var next = 0

    var isEmpty: Bool { next == events.count }

    mutating func append(_ event: ChartEvent) { events.append(event) }

    mutating func popFirst() -> ChartEvent? {
        guard next < events.count else { return nil }
        next += 1
        let event = events[next - 1]
        if isEmpty { removeAll() }
        return event
    }

    mutating func removeAll() {
        events.removeAll(keepingCapacity: true)
        next = 0
    }
}
