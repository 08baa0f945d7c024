// The check of a socket's path before gamed listens there.

import Foundation
import Posix
import Testing
@testable import Network

@Suite struct `The path of a socket` {
    @Test(.timeLimit(.minutes(1)))
    func `A socket path whose listener accepts nothing is in use, and probing it does not block`() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "deaf-\(UUID().uuidString.prefix(8)).sock").path
        let address = try UnixAddress(path: path)
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let deaf = socket(AF_UNIX, kind, 0)
        defer {
            close(deaf)
            unlink(path)
        }
        try #require(address.withPointer { bind(deaf, $0, $1) } == 0 && listen(deaf, 0) == 0)
        // Until its queue is full.
        var callers: [Int32] = []
        defer { for caller in callers { close(caller) } }
        repeat {
            callers.append(socket(AF_UNIX, kind, 0))
        } while address.withPointer { connect(callers[callers.count - 1], $0, $1) } == 0
        let error = #expect(throws: ListenerError.self) { try UnixListener.check(path: path) }
        #expect(error?.description.hasPrefix("another daemon listens at \(path) already") == true)
    }
}
