// A graceful stop: accepts no new connections, and answers pending requests within a time limit.

import EventLoop
import Logging

final class GracefulShutdown {
    private let daemon: Daemon
    private var timeout: Delay?
    /// Looks whether the page has answered everything.
    private var looking: Delay?
    private var wasAnswering = false
    /// Whether what waited has been answered, and the answers are on their way.
    private var isEnding = false
    /// Time for a socket to send its data.
    private static let sendingMilliseconds = 20

    init(_ daemon: Daemon) {
        self.daemon = daemon
        daemon.connections.finish()
        let milliseconds = daemon.limits.stopMilliseconds
        guard milliseconds > 0 else {
            stopImmediately()
            return
        }
        do {
            timeout = try Delay(on: daemon.loop) { [unowned self] in stopImmediately() }
            looking = try Delay(on: daemon.loop) { [unowned self] in finishIfIdle() }
            timeout?.start(milliseconds: milliseconds)
            finishIfIdle()
        } catch {
            daemon.loop.stop()
        }
    }

    func finishIfIdle() {
        guard !isEnding, daemon.connections.count == 0 else { return }
        let isAnswering = daemon.web?.isAnswering ?? false
        // The last answers are sent after the turn that has written them.
        guard isAnswering || wasAnswering else { return daemon.loop.stop() }
        wasAnswering = isAnswering
        looking?.start(milliseconds: Self.sendingMilliseconds)
    }

    /// Stops without waiting for clients to read their replies. A request without a reply has an unknown outcome, and its client gets that
    /// error. If the connection only closed, the client would assume that the request had no effect.
    func stopImmediately() {
        isEnding = true
        daemon.answerWhatWaits()
        let loop = daemon.loop
        guard daemon.web != nil, let looking = try? Delay(on: loop, onOver: { [unowned loop] in loop.stop() }) else {
            return loop.stop()
        }
        looking.start(milliseconds: Self.sendingMilliseconds)
        self.looking = looking
    }
}

// MARK: - Sums up the log lines held back in a burst some seconds later, if no other line reports their number.

final class HeldBackLines: LogDelegate {
    private static let milliseconds = 2_000
    private var delay: Delay?

    init(of log: Log, on loop: Loop) throws(LoopFailure) {
        delay = try Delay(on: loop) { [unowned self, log] in
            if !log.flushSuppressed() { delay?.start(milliseconds: Self.milliseconds) }
        }
        log.delegate = self
    }

    func logDidHoldBack() { delay?.start(milliseconds: Self.milliseconds) }
}
