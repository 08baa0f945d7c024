// Commands while the disk fails: changes are refused, and reads are not.

import Testing
@testable import Commands
@testable import RESP

@Suite struct `While the disk fails` {
    @Test func `Commands that change are refused, and those that read are executed`() throws {
        let host = try HostUnderTest()
        host.run("NEW room turns")
        host.host.unavailability = CommandError(.journal, "the disk is full")
        for line in ["SEND room pass", "DROP room", "PAUSE room", "ADVANCE 1s", "BLUETOOTH CONNECT button"] {
            #expect(host.run(line).code == .journal, "\(line)")
        }
        for line in ["STATE room", "HISTORY room", "NEXT", "SUBSCRIBE view:room", "CONFIG SET undo-ms 5000", "BLUETOOTH LIST"] {
            #expect(!host.run(line).isError, "\(line)")
        }
    }
}
