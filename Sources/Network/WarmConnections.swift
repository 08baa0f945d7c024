// Who has talked lately: buffers are kept while a connection is used, and given back when it rests.

import EventLoop

final class WarmConnections {
    /// How long a connection keeps its buffers after it has talked, in milliseconds.
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

    /// Those that talk again after this are warm again.
    func coolDown() {
        let now = warm
        warm = [:]
        for connection in now.values { connection.coolDown() }
    }
}
