// RELOAD DRY while nothing may change.

import GameFlow
import RESP
import TestSupport
import Testing

@testable import Commands
@testable import GameDaemon

@Suite struct `A RELOAD DRY` {
    @Test func `RELOAD DRY reports the changes while the disk fails, and RELOAD is refused`() throws {
        let daemon = try ReloadingDaemon()
        daemon.run("NEW room shop")
        daemon.files.next.kinds = [ReloadingDaemon.new()]
        let host = daemon.stepped.daemon.host
        host.unavailability = CommandError(.journal, "the disk is full")
        let client = try daemon.stepped.connect()
        client.send("RELOAD DRY\r\nRELOAD\r\n")
        try daemon.stepped.turn(10)
        #expect(
            client.read() == "*1\r\n$44\r\nshop: would change, 1 session would continue\r\n-JOURNAL the disk is full\r\n")
        host.unavailability = nil
        #expect(daemon.reload([ReloadingDaemon.new()]) == ["shop: changed, 1 session continues"])
    }
}
