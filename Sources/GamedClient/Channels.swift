// Subscriptions: the readers of one session's views, or of its events. Only for the client's actor.

import GameFlow
import JSON

/// The readers of one channel.
struct Readers<Value: Sendable> {
    private var readers: [Int: AsyncStream<Value>.Continuation] = [:]

    var isEmpty: Bool { readers.isEmpty }

    /// `onEnd` is called with the reader's number when it has left.
    mutating func add(
        _ reader: AsyncStream<Value>.Continuation, _ number: Int, _ onEnd: @escaping @Sendable (Int) -> Void
    ) {
        readers[number] = reader
        reader.onTermination = { _ in onEnd(number) }
    }

    /// False if it has no reader of that number.
    mutating func remove(_ number: Int) -> Bool { readers.removeValue(forKey: number) != nil }

    /// Readers that have ended are forgotten.
    mutating func yield(_ value: Value) {
        for (number, reader) in readers {
            if case .terminated = reader.yield(value) { readers[number] = nil }
        }
    }

    mutating func finish() {
        for reader in readers.values { reader.finish() }
        readers = [:]
    }
}

/// The views of one session. A new reader gets the last one at once.
final class ViewChannel {
    let session: String
    var readers = Readers<SessionView>()
    private var last: SessionView?

    init(_ session: String) { self.session = session }

    var name: String { "view:" + session }

    func add(_ reader: AsyncStream<SessionView>.Continuation, _ number: Int, _ onEnd: @escaping @Sendable (Int) -> Void) {
        if let last { reader.yield(last) }
        readers.add(reader, number, onEnd)
    }

    /// False once the session is gone; then its views end.
    func show(_ text: String) -> Bool {
        guard let json = try? JSON(parsing: text), let view = SessionView(json) else {
            readers.finish()
            return false
        }
        last = view
        readers.yield(view)
        return true
    }
}

/// The events of one session.
final class EventChannel {
    let session: String
    var readers = Readers<SessionEvent>()
    /// The life and the number of the last event that was shown; nil before there is one.
    private(set) var position: String?
    /// Whether the first position is being looked for.
    var isPositioning = false

    init(_ session: String) { self.session = session }

    var name: String { "session:" + session }

    func begin(at life: Int, _ number: Int) {
        if position == nil { position = "\(life):\(number)" }
    }

    func show(_ text: String) {
        guard let json = try? JSON(parsing: text), let event = SessionEvent(json) else { return }
        if let life = event.life, let number = event.lastNumber ?? event.number { position = "\(life):\(number)" }
        readers.yield(event)
    }
}
