// The watched sessions and their changes: pushed by the daemon, and found by scanning for what it does not push.

import GameClient
import Glibc
import RESP
import Timers

final class WatchFeed {
    /// The pause between scans for sessions; longer if a scan takes long.
    private static let scanInterval = Duration.seconds(1)

    private let daemon: DaemonClient
    private let connection: ServerConnection
    private let pattern: String
    private let clock = ContinuousClock()
    private(set) var names: Set<String> = []
    private var nextScan: ContinuousClock.Instant
    /// Messages that arrived while waiting for a reply.
    private var waiting: [WatchMessage] = []

    /// Subscribes, and scans once.
    init(_ daemon: DaemonClient, pattern: String) throws(ControlError) {
        self.daemon = daemon
        self.pattern = pattern
        connection = try daemon.connect()
        nextScan = clock.now
        _ = try daemon.ask(["PSUBSCRIBE", "session:" + pattern])
        names = try scan()
    }

    /// Waits for the daemon, for `input`, or for the next scan, but no longer than `limit`. False if `input` is closed.
    @discardableResult
    func wait(atMost limit: Duration? = nil, input: Int32? = nil) -> Bool {
        let time = min(limit ?? .seconds(3_600), max(.zero, clock.now.duration(to: nextScan)))
        var watched = [pollfd(fd: connection.descriptor, events: Int16(POLLIN), revents: 0)]
        if let input { watched.append(pollfd(fd: input, events: Int16(POLLIN), revents: 0)) }
        let milliseconds = time.components.seconds * 1_000 + time.components.attoseconds / 1_000_000_000_000_000 + 1
        poll(&watched, nfds_t(watched.count), Int32(clamping: milliseconds))
        return watched.dropFirst().allSatisfy { $0.revents & Int16(POLLHUP | POLLERR | POLLNVAL) == 0 }
    }

    /// The changes since the last call, including sessions that have begun or were dropped.
    func news() throws(ControlError) -> [WatchMessage] {
        try connection.receivePending()
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

    /// A session that is not known yet has begun in the state that it has just left.
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
        // A message that arrived meanwhile knows better in which state a session began.
        var news = takeMessages()
        for (name, state) in zip(begun, states) where !names.contains(name) {
            guard let flow = state["flow"]?.text, let state = state["state"]?.text else { continue }
            names.insert(name)
            if let message = WatchMessage.begun(name, flow: flow, in: state) { news.append(message) }
        }
        // A session that a message has just told of may be younger than the scan.
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
        try daemon.scanSessions(match: pattern) { found.formUnion($0) }
        let took = start.duration(to: clock.now)
        nextScan = clock.now + max(Self.scanInterval, took * 10)
        return found
    }

    /// Pipelines requests. Messages that arrive meanwhile are kept for the next news.
    func ask(all requests: [[String]]) throws(ControlError) -> [Reply] {
        defer { waiting += connection.takeMessages().compactMap(WatchMessage.init) }
        return try connection.ask(all: requests)
    }
}
