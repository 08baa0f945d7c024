// Errors of listening over TCP.

import Posix
import Testing
@testable import Network

@Suite struct `A TCP listener` {
    @Test func `A TCP listener that cannot listen explains the remedy`() throws {
        // The address is for documentation, and no machine has it.
        let foreign = try TcpAddress("192.0.2.1:0")
        let away = #expect(throws: ListenerError.self) { try TcpListener.check(foreign) }
        #expect(away?.description.contains("; this machine has no such address: choose one of 'ip address'") == true)
        let first = try TcpListener.listening(at: try TcpAddress("127.0.0.1:0"))
        let taken = try TcpAddress(first.address)
        let error = #expect(throws: ListenerError.self) { try TcpListener.check(taken) }
        #expect(error?.isInUse == true && error?.description.contains("; end the program that listens there") == true)
        // It listens until here.
        let listening = first.address
        #expect(listening == taken.description)
    }
}
