// Accepting connections, for the UNIX and the TCP listener alike.

import EventLoop
import Glibc
import Logging
import Posix

/// Accepts connections on a listening socket. Pauses when the process is out of descriptors.
final class Acceptor {
    /// Connections accepted per turn, if its time suffices, so that others are served too.
    private static let maxPerTurn = 256
    /// How long a pause lasts if no connection closes meanwhile, in milliseconds.
    private static let retry = 1_000

    private let listening: Int32
    private let log: Log
    private let connected: (consuming Descriptor) -> Void
    private var loop: Loop?
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
        (self.watch, self.loop) = (watch, loop)
    }

    func stop() {
        (watch, loop) = (nil, nil)
        pause = nil
    }

    /// Resumes accepting after a pause.
    func resume() {
        guard let watch, !watch.isActive else { return }
        pause?.stop()
        do { try watch.start() } catch { pause?.start(milliseconds: Self.retry) }
    }

    private func acceptSome() {
        for _ in 0..<Self.maxPerTurn {
            guard let peer = Descriptor(accept(listening, nil, nil)) else {
                guard mayGoOn(after: errno) else { return }
                continue
            }
            peer.makeNonblocking()
            connected(peer)
            loop?.charge(pieces: 1)
            if loop?.isBudgetExhausted == true { return }
        }
    }

    /// Whether the error concerns one connection only.
    private func mayGoOn(after error: Int32) -> Bool {
        switch error {
        case EAGAIN: return false
        case EMFILE, ENFILE, ENOMEM, ENOBUFS:
            // A pending connection would wake the loop over and over.
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
