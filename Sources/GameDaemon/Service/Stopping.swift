// How the daemon ends: nobody new is taken in, what has been asked is answered, and that takes no longer than it may.

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

    /// Whoever has not read its answers by now will not.
    func atOnce() {
        loop.stop()
    }
}
