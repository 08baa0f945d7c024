// Which sessions there are and what happens to them, as far as the daemon tells by itself and as far as it must be asked.

import Glibc
import RESP

final class WatchFeed {
    /// How often the daemon is asked which sessions there are; if that takes long, less often.
    private static let scanInterval = Duration.seconds(1)

    let control: Control
    private let connection: ServerConnection
    private let pattern: String
    private let clock = ContinuousClock()
    private(set) var names: Set<String> = []
    private var nextScan: ContinuousClock.Instant
    /// Messages that came while something was asked.
    private var waiting: [WatchMessage] = []

    /// Subscribes, and finds out what there is.
    init(_ control: Control, pattern: String) throws(ControlError) {
        self.control = control
        self.pattern = pattern
        connection = try control.connected()
        nextScan = clock.now
        _ = try control.ask(["PSUBSCRIBE", "session:" + pattern])
        names = try scan()
    }

    /// Waits until something has come from the daemon or is to be asked, for `limit` at the most; also ends when `input` has something.
    /// False if nothing more can come from `input`.
    @discardableResult
    func wait(atMost limit: Duration? = nil, input: Int32? = nil) -> Bool {
        let time = min(limit ?? .seconds(3_600), max(.zero, clock.now.duration(to: nextScan)))
        var watched = [pollfd(fd: connection.descriptor, events: Int16(POLLIN), revents: 0)]
        if let input { watched.append(pollfd(fd: input, events: Int16(POLLIN), revents: 0)) }
        let milliseconds = time.components.seconds * 1_000 + time.components.attoseconds / 1_000_000_000_000_000 + 1
        poll(&watched, nfds_t(watched.count), Int32(clamping: milliseconds))
        return watched.dropFirst().allSatisfy { $0.revents & Int16(POLLHUP | POLLERR | POLLNVAL) == 0 }
    }

    /// What has happened since it was last asked, sessions that have begun and that are gone included.
    func news() throws(ControlError) -> [WatchMessage] {
        try connection.readWhatIsThere()
        var news = takeMessages()
        if clock.now >= nextScan { news += try rescan() }
        return news
    }

    private func takeMessages() -> [WatchMessage] {
        let messages = waiting + connection.takeMessages().compactMap(WatchMessage.init)
        waiting = []
        var news: [WatchMessage] = []
        for message in messages {
            note(message, &news)
            news.append(message)
        }
        return news
    }

    /// A session that nobody has heard of has begun, in the state that it has just left.
    private func note(_ message: WatchMessage, _ news: inout [WatchMessage]) {
        if message.to == nil {
            names.remove(message.session)
        } else if names.insert(message.session).inserted, let from = message.from,
            let begun = WatchMessage.begun(message.session, flow: message.flow, in: from)
        {
            news.append(begun)
        }
    }

    // MARK: Asking

    private func rescan() throws(ControlError) -> [WatchMessage] {
        let found = try scan()
        let begun = found.subtracting(names).sorted()
        let states = try connection.ask(all: begun.map { ["STATE", $0] })
        // What came meanwhile says better what a session began with.
        var news = takeMessages()
        for (name, state) in zip(begun, states) where !names.contains(name) {
            guard let flow = state["flow"]?.text, let state = state["state"]?.text else { continue }
            names.insert(name)
            if let message = WatchMessage.begun(name, flow: flow, in: state) { news.append(message) }
        }
        // One that a message has just told of may be younger than the scan.
        let young = Set(news.map(\.session))
        for name in names.subtracting(found).subtracting(young).sorted() {
            names.remove(name)
            if let message = WatchMessage.dropped(name) { news.append(message) }
        }
        return news
    }

    private func scan() throws(ControlError) -> Set<String> {
        let start = clock.now
        var found: Set<String> = []
        try control.scanSessions(match: pattern) { found.formUnion($0) }
        let took = start.duration(to: clock.now)
        nextScan = clock.now + max(Self.scanInterval, took * 10)
        return found
    }

    /// Asks several things at once. What is pushed meanwhile is told with the next news.
    func ask(all requests: [[String]]) throws(ControlError) -> [Reply] {
        defer { waiting += connection.takeMessages().compactMap(WatchMessage.init) }
        return try connection.ask(all: requests)
    }
}
