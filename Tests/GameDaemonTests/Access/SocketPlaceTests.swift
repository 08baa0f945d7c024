// Where a client looks for a daemon.

import Foundation
import TestSupport
import Testing
@testable import Posix

@Suite struct `A client without a socket's name` {
    @Test func `finds the user's own daemon, or else the machine's`() throws {
        let folder = try Folder()
        let (own, machines) = (folder.path + "/own.sock", folder.path + "/machine.sock")
        func place() -> String { DefaultPaths.socketForClients(own: own, machines: machines) }
        #expect(place() == own, "neither is there: this one would be")
        _ = FileManager.default.createFile(atPath: machines, contents: nil)
        #expect(place() == machines)
        _ = FileManager.default.createFile(atPath: own, contents: nil)
        #expect(place() == own)
    }
}
