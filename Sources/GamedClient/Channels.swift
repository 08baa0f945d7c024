// Subscriptions: the readers of one session's views, or of its events. Only for the client's actor.

import GameFlow
import JSON

/// The views of one session. A new reader gets the last one at once.
final class ViewChannel {
    let session: String
    let readers = StreamReaders<SessionView>()
    private var last: SessionView?
    /// Hands over the views of another node of the cluster; nil where this client's own daemon has the session.
    var relay: Task<Void, Never>?

    init(_ session: String) { self.session = session }

    deinit { relay?.cancel() }

    var name: String { "view:" + session }

    func add(_ reader: AsyncStream<SessionView>.Continuation, _ number: Int, _ onEnd: @escaping @Sendable (Int) -> Void) {
        if let last { reader.yield(last) }
        readers.add(reader, numbered: number, onEnd: onEnd)
    }

    /// False once the session is gone; then its views end.
    func show(_ text: String) -> Bool {
        guard let json = try? JSON(parsing: text), let view = SessionView(json) else {
            readers.finish()
            return false
        }
        show(view)
        return true
    }

    func show(_ view: SessionView) {
        last = view
        readers.yield(view)
    }
}

/// The events of one session.
final class EventChannel {
    let session: String
    let readers = StreamReaders<SessionEvent>()
    /// The life and the number of the last event that was shown; nil before there is one.
    private(set) var position: String?
    /// Whether the first position is being looked for.
    var isPositioning = false
    /// Hands over the events of another node of the cluster; nil where this client's own daemon has the session.
    var relay: Task<Void, Never>?

    init(_ session: String, since position: String? = nil) { (self.session, self.position) = (session, position) }

    deinit { relay?.cancel() }

    var name: String { "session:" + session }

    func begin(at life: Int, _ number: Int) {
        if position == nil { position = "\(life):\(number)" }
    }

    func show(_ text: String) {
        guard let json = try? JSON(parsing: text), let event = SessionEvent(json) else { return }
        show(event)
    }

    func show(_ event: SessionEvent) {
        if let life = event.life, let number = event.lastNumber ?? event.number { position = "\(life):\(number)" }
        readers.yield(event)
    }
}
