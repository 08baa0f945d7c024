// The socket that a client uses if none is given.

import Foundation
import TestSupport
import Testing
@testable import Posix

@Suite struct `A client without a socket path` {
    @Test func `A client without a socket path finds the user's daemon first, then the machine's`() throws {
        let folder = try Folder()
        let (own, machines) = (folder.path + "/own.sock", folder.path + "/machine.sock")
        func place() -> String { DefaultPaths.socketForClients(own: own, machines: machines) }
        #expect(place() == own, "neither exists: the user's socket is the default")
        _ = FileManager.default.createFile(atPath: machines, contents: nil)
        #expect(place() == machines)
        _ = FileManager.default.createFile(atPath: own, contents: nil)
        #expect(place() == own)
    }
}
