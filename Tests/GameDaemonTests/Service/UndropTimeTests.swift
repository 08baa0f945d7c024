// The end of UNDROP's time, which a daemon waits for by itself.

import BuiltInFlows
import Testing
import Timers
@testable import Commands
@testable import EventLoop
@testable import GameDaemon
@testable import Sessions

@Suite struct `A dropped session in a running daemon` {
    @Test func `A daemon discards a dropped session after undo-ms without any request`() throws {
        let loop = try Loop(Timekeeper())
        var limits = Limits()
        limits.undoMilliseconds = 100
        let daemon = try Daemon(on: loop, flows: [.flow(Turns.self)], limits: limits)
        let client = LocalClient(of: daemon.host)
        _ = client.run(["NEW", "room", "turns"])
        _ = client.run(["DROP", "room"])
        #expect(daemon.sessions.keptDrops == 1)
        let end = loop.timekeeper.source.now.advanced(by: .seconds(5))
        while daemon.sessions.keptDrops > 0, loop.timekeeper.source.now < end { try loop.turn() }
        #expect(daemon.sessions.keptDrops == 0)
    }
}
