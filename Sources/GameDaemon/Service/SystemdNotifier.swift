// Reports the service's state to systemd, and sends its watchdog's keep-alive.

import Commands
import Dispatch
import EventLoop
import Posix
import Synchronization
import Systemd
import Texts
import Timers

final class SystemdNotifier: ReloadingDelegate {
    private let socket: NotifySocket?
    private unowned var daemon: Daemon?
    private let clock = SystemClock()
    /// The time between two beats, in milliseconds; nil if systemd does not wait for them.
    private let interval: Int?
    private var beating: Delay?
    private var lastExtension: Instant?
    /// The newest messages that systemd had no room for, in order.
    private var unsent: [String] = []
    private static let maxUnsent = 64
    private var retrying: Delay?

    /// While sessions are restored, requests this much more time at this interval.
    private static let extensionMicroseconds = 30_000_000
    private static let betweenExtensions = Duration.seconds(1)
    private static let retryMilliseconds = 100

    init(_ manager: ServiceManager, on loop: Loop) throws(LoopFailure) {
        socket = manager.notify
        // Half the interval, so that one late beat does no harm.
        interval = manager.watchdog.map { max(1, $0 / 2_000) }
        guard socket != nil else { return }
        retrying = try Delay(on: loop) { [unowned self] in sendRest() }
        guard interval != nil else { return }
        beating = try Delay(on: loop) { [unowned self] in beat() }
    }

    // MARK: The watchdog

    var hasWatchdog: Bool { beating != nil }

    /// The loop's own timer beats, in real time: a loop that hangs does not.
    func beginBeating() {
        if interval != nil { beat() }
    }

    private func beat() {
        socket?.send("WATCHDOG=1")
        if let interval { beating?.start(milliseconds: interval) }
    }

    // MARK: Status

    func reportOpening(_ store: String) { says("opening \(store)") }

    func reportRestoring(_ count: Int) {
        guard socket != nil else { return }
        let now = clock.now
        if let lastExtension, lastExtension.duration(to: now) < Self.betweenExtensions { return }
        lastExtension = now
        send("EXTEND_TIMEOUT_USEC=\(Self.extensionMicroseconds)\nSTATUS=\(count) sessions are restored so far")
    }

    /// The daemon is up: from now on, reports reloads and the problems that keep it from working.
    func observe(_ daemon: Daemon) {
        guard socket != nil else { return }
        self.daemon = daemon
        daemon.host.reloader.delegate = self
        reportReady(Self.status(of: daemon))
    }

    private static func status(of daemon: Daemon) -> String {
        let (count, aside) = (daemon.sessions.count, daemon.sessions.setAsideSessions.count)
        let rest = aside == 0 ? "" : ", and \(aside == 1 ? "1 is" : "\(aside) are") set aside (gamectl sessions --state '!')"
        return "listens at \(daemon.host.addresses.joined(separator: ", ")); \("session".counted(count))\(rest)"
    }

    private func reportReady(_ status: String) { send("READY=1\nSTATUS=\(status.printable)") }

    func reloadDidBegin() {
        send("RELOADING=1\nMONOTONIC_USEC=\(TurnClock.monotonicMicroseconds)\nSTATUS=reloading its files")
    }

    func reloadDidEnd(isRight: Bool) {
        guard let daemon else { return }
        reportReady(Self.status(of: daemon) + (isRight ? "" : "; the last reload changed nothing: see the log"))
    }

    func journalTroubleDidChange(_ failure: String?) {
        if let daemon { says(failure.map { "the journal: \($0)" } ?? Self.status(of: daemon)) }
    }

    /// Clients have this many milliseconds to receive their last replies.
    func reportStopping(_ reason: String, within milliseconds: Int) {
        let microseconds = milliseconds * 1_000 + ShutdownTimeExtension.microseconds
        send("STOPPING=1\nEXTEND_TIMEOUT_USEC=\(microseconds)\nSTATUS=stopping, because of \(reason)")
    }

    /// Runs `body`, which waits for the disk after the loop has ended.
    func extendTimeout(whileWriting unwritten: @escaping @Sendable () -> Int, _ body: () throws -> Void) rethrows {
        guard let socket else { return try body() }
        try ShutdownTimeExtension(socket, unwritten: unwritten).during(body)
    }

    private func says(_ status: String) { send("STATUS=\(status.printable)") }

    // MARK: Sending

    /// Sends messages in order, even if some have to wait.
    private func send(_ message: String) {
        guard let socket else { return }
        guard unsent.isEmpty, socket.send(message) else {
            if unsent.count == Self.maxUnsent { unsent.removeFirst() }
            unsent.append(message)
            retrying?.start(milliseconds: Self.retryMilliseconds)
            return
        }
    }

    private func sendRest() {
        while let next = unsent.first, socket?.send(next) == true { unsent.removeFirst() }
        if !unsent.isEmpty { retrying?.start(milliseconds: Self.retryMilliseconds) }
    }
}

// MARK: - More time for the end of the process

/// Asks systemd for more time each second, until nothing has been written for 60 s: a hung disk does not delay the end forever.
final class ShutdownTimeExtension: Sendable {
    static let microseconds = 30_000_000
    private static let secondsOfPatience = 60

    private let socket: NotifySocket
    private let unwritten: @Sendable () -> Int
    /// The last count of unwritten bytes, and the number of seconds that it has not changed.
    private let state = Mutex((bytes: Int.max, seconds: 0))

    init(_ socket: NotifySocket, unwritten: @escaping @Sendable () -> Int) {
        (self.socket, self.unwritten) = (socket, unwritten)
    }

    /// Carries out what waits for the disk.
    func during(_ body: () throws -> Void) rethrows {
        let timer = DispatchSource.makeTimerSource()
        timer.schedule(deadline: .now() + 1, repeating: 1)
        timer.setEventHandler { self.askForMore() }
        timer.resume()
        defer { timer.cancel() }
        try body()
    }

    private func askForMore() {
        let bytes = unwritten()
        let isHopeful = state.withLock { state in
            state = (bytes, bytes == state.bytes ? state.seconds + 1 : 0)
            return state.seconds < Self.secondsOfPatience
        }
        guard isHopeful else { return }
        socket.send("EXTEND_TIMEOUT_USEC=\(Self.microseconds)\nSTATUS=stopping: \(bytes) bytes are still to be written")
    }
}
