// A graceful stop: accepts no more connections, answers pending requests, within a time limit.

import EventLoop
import Network

final class Stopping {
    private let connections: Connections
    private let loop: Loop
    private var patience: Delay?

    init(_ connections: Connections, on loop: Loop, milliseconds: Int) {
        self.connections = connections
        self.loop = loop
        connections.finish()
        wait(atMost: milliseconds)
    }

    private func wait(atMost milliseconds: Int) {
        guard connections.count > 0, milliseconds > 0 else { return loop.stop() }
        do {
            patience = try Delay(on: loop) { [unowned self] in atOnce() }
            patience?.start(milliseconds: milliseconds)
        } catch {
            loop.stop()
        }
    }

    func somebodyIsGone() {
        if connections.count == 0 { loop.stop() }
    }

    /// Stops without waiting for clients to read their replies.
    func atOnce() {
        loop.stop()
    }
}
