// Taking in whoever connects: what a UNIX and a TCP listener have in common.

import EventLoop
import Glibc
import Logging
import Posix

/// Accepts connections at a socket that listens already. Without descriptors it pauses, and goes on when there are some again.
final class Acceptor {
    /// How many are taken in before others have their turn.
    private static let mostPerTurn = 256
    /// How soon a pause is ended if nobody has told us that there are descriptors again, in milliseconds.
    private static let retry = 1_000

    private let listening: Int32
    private let log: Log
    private let connected: (consuming Descriptor) -> Void
    private var watch: DescriptorWatch?
    private var pause: Delay?

    init(listening: Int32, log: Log, connected: @escaping (consuming Descriptor) -> Void) {
        self.listening = listening
        self.log = log
        self.connected = connected
    }

    func start(on loop: Loop) throws(LoopFailure) {
        let watch = try DescriptorWatch(listening, .readable, on: loop) { [unowned self] in acceptSome() }
        pause = try Delay(on: loop) { [unowned self] in resume() }
        try watch.start()
        self.watch = watch
    }

    func stop() {
        watch = nil
        pause = nil
    }

    /// Takes up accepting again, after it had to stop for want of descriptors.
    func resume() {
        guard let watch, !watch.isActive else { return }
        pause?.stop()
        do { try watch.start() } catch { pause?.start(milliseconds: Self.retry) }
    }

    private func acceptSome() {
        for _ in 0..<Self.mostPerTurn {
            guard let peer = Descriptor(accept(listening, nil, nil)) else {
                guard mayGoOn(after: errno) else { return }
                continue
            }
            peer.makeNonblocking()
            connected(peer)
        }
    }

    /// Whether the failure was that of one connection.
    private func mayGoOn(after error: Int32) -> Bool {
        switch error {
        case EAGAIN: return false
        case EMFILE, ENFILE, ENOMEM, ENOBUFS:
            // Whoever waits to be taken in would wake us over and over.
            watch?.stop()
            pause?.start(milliseconds: Self.retry)
            log.write(
                .warning, provokedBy: .descriptors,
                "cannot take in more connections for now: \(systemErrorText(error)); the limit for files (ulimit -n) may be too low"
            )
            return false
        default: return true
        }
    }
}
