// Connections used lately: they keep their buffers, and release them when idle.

import EventLoop

final class RecentConnections {
    /// How long an idle connection keeps its buffers, in milliseconds.
    private static let rest = 5_000

    private var warm: [Int: Connection] = [:]
    private var delay: Delay?

    init(on loop: Loop) throws(LoopFailure) {
        delay = try Delay(on: loop) { [unowned self] in coolDown() }
    }

    func add(_ connection: Connection) {
        connection.isWarm = true
        warm[connection.id] = connection
        if delay?.isRunning == false { delay?.start(milliseconds: Self.rest) }
    }

    func remove(_ connection: Connection) {
        guard connection.isWarm else { return }
        warm[connection.id] = nil
    }

    /// Releases the buffers of all; those used again become warm again.
    func coolDown() {
        let now = warm
        warm = [:]
        for connection in now.values { connection.releaseBuffers() }
    }
}
