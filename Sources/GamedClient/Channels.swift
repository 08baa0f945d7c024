// Subscriptions: the readers of one session's views, or of its events. Only for the client's actor.

import GameFlow

/// A channel of the daemon's for one session, with its readers.
protocol Channel: AnyObject, SendableMetatype {
    associatedtype Value: Sendable

    var session: String { get }
    /// The daemon's name for it.
    var name: String { get }
    var readers: StreamReaders<Value> { get }
    /// A new reader gets this at once.
    var last: Value? { get }
    /// Hands over the values of another node of the cluster, or waits to subscribe again; nil where this client's own daemon has
    /// the session.
    var relay: Task<Void, Never>? { get set }
    /// The command that subscribes to it.
    var subscription: [String] { get }

    /// Shows the value in a message. False if it was the last one: then the readers end.
    func show(_ text: String) -> Bool
    func show(_ value: Value)
    /// The same from the client of the node that has the session.
    func values(from home: Gamed) -> AsyncStream<Value>
}

extension Channel {
    /// True if no reader is left. A value that came just before may have found that this one has left.
    func removeLast(_ number: Int) -> Bool {
        readers.remove(number)
        return readers.isEmpty
    }

    func finish() {
        relay?.cancel()
        readers.finish()
    }
}

/// The views of one session. A new reader gets the last one at once.
final class ViewChannel: Channel {
    let session: String
    let name: String
    let readers = StreamReaders<SessionView>()
    private(set) var last: SessionView?
    var relay: Task<Void, Never>?

    init(_ session: String) { (self.session, name) = (session, "view:" + session) }

    deinit { relay?.cancel() }

    var subscription: [String] { ["SUBSCRIBE", name] }

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

    func values(from home: Gamed) -> AsyncStream<SessionView> { home.views(of: session) }
}

/// The events of one session.
final class EventChannel: Channel {
    static let prefix = "session:"

    /// Where a new subscription begins.
    enum Beginning {
        /// After the newest entry of the session: its life and number.
        case entry(Int, Int)
        /// With the next session of the name, since this one does not exist.
        case creation
        /// With the next entry: the daemon does not show the newest one.
        case unknown
        /// At the node that this text of MOVED names.
        case elsewhere(String)
    }

    let session: String
    let name: String
    let readers = StreamReaders<SessionEvent>()
    /// Whether its readers pass it to the client of a cluster.
    private let isRelayed: Bool
    /// The position, for the client of a cluster.
    var last: SessionEvent? { isRelayed ? position.flatMap { SessionEvent(["what": "position", "event": .string($0)]) } : nil }
    /// The session's life and the highest number that was shown, as SINCE has them; nil before there is one.
    private(set) var position: String?
    /// The same as numbers; nil until an event is shown, if the position was given.
    private var highest: (life: Int, number: Int)?
    /// Whether the next subscription is made without a position, as the daemon does not show the newest entry.
    private var isUnknown = false
    /// Whether it was subscribed to without a position: what happens until the next subscription may be missing.
    private var wasUnknown = false
    /// Whether the client is searching for its beginning.
    var isPositioning = false
    /// Whether the daemon's first message may be that there is no session, as is known.
    private var awaitsCreation = false
    var relay: Task<Void, Never>?

    init(_ session: String, since position: String?, isRelayed: Bool = false) {
        (self.session, name, self.position, self.isRelayed) = (session, Self.prefix + session, position, isRelayed)
    }

    deinit { relay?.cancel() }

    var subscription: [String] { ["SUBSCRIBE", name] + (position.map { ["SINCE", $0] } ?? []) }

    /// Whether it can be subscribed to.
    var hasBeginning: Bool { position != nil || isUnknown }

    func begin(_ beginning: Beginning) {
        if wasUnknown, let gap = SessionEvent(["what": "gap"]) { readers.yield(gap) }
        wasUnknown = false
        switch beginning {
        case .entry(let life, let number): advance(to: life, number)
        case .creation: (position, awaitsCreation) = ("0", true)
        case .unknown, .elsewhere: isUnknown = true
        }
        if let last { readers.yield(last) }
    }

    /// Without a position, the next subscription looks for one again.
    func didSubscribe() {
        if position == nil { (isUnknown, wasUnknown) = (false, true) }
    }

    private func advance(to life: Int, _ number: Int) {
        highest = (life, number)
        position = "\(life):\(number)"
    }

    func show(_ text: String) -> Bool {
        if let json = try? JSON(parsing: text), let event = SessionEvent(json) { show(event) }
        return true
    }

    func show(_ event: SessionEvent) {
        if event.what == "position" { return position = position ?? event.event }
        let isCreated = event.what != "gap" || event.life != nil || !awaitsCreation
        awaitsCreation = false
        guard isCreated else { return }
        if let life = event.life, let number = event.lastNumber ?? event.number, !hasShown(event, life, number) {
            advance(to: life, number)
        }
        readers.yield(event)
    }

    /// Whether a higher number was shown: a repeated entry can end before the one that was sent before it. After a gap, the
    /// numbers count on from the gap's.
    private func hasShown(_ event: SessionEvent, _ life: Int, _ number: Int) -> Bool {
        guard let highest, event.what != "gap" else { return false }
        return life == highest.life && number < highest.number
    }

    func values(from home: Gamed) -> AsyncStream<SessionEvent> { home.relayedEvents(of: session, since: position) }
}
