// Names of users at the UNIX socket, which the system may find slowly.

import Dispatch
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing
@testable import Commands
@testable import GameDaemon
@testable import Network
@testable import Posix
@testable import Sessions

@Suite(.timeLimit(.minutes(2))) struct `The name of a user at the UNIX socket` {
    /// A directory service that answers only when it is told to.
    private final class SlowDirectory: Sendable {
        private let answers = DispatchSemaphore(value: 0)
        private let asked = Mutex<[uid_t]>([])
        var requests: [uid_t] { asked.withLock { $0 } }

        func find(_ user: uid_t) -> String? {
            asked.withLock { $0.append(user) }
            answers.wait()
            return "ann"
        }

        func answer() { answers.signal() }
    }

    /// A daemon that knows no name, not even that of its own user.
    private func daemon(asking directory: SlowDirectory, _ change: (inout Limits) -> Void = { _ in }) throws -> SteppedDaemon {
        let stepped = try SteppedDaemon(change)
        stepped.daemon.connections.users = try UserNames(on: stepped.loop, known: []) { directory.find($0) }
        return stepped
    }

    private func text(for client: SteppedClient, of stepped: SteppedDaemon, length: Int) throws -> String {
        var text = ""
        _ = try eventually {
            try stepped.turn()
            text += client.read() ?? ""
            return text.utf8.count >= length
        }
        return text
    }

    @Test func `A user's connections wait until its name is found, and the loop does not`() throws {
        let directory = SlowDirectory()
        let stepped = try daemon(asking: directory)
        try stepped.daemon.begin("room", flow: "turns")
        let (one, two) = (try stepped.connect(), try stepped.connect())
        one.send("SEND room pass\r\n")
        two.send("PING\r\n")
        #expect(eventually { directory.requests == [geteuid()] })
        try stepped.turn(3)
        #expect(one.read() == "" && two.read() == "" && stepped.daemon.connections.count == 0)
        directory.answer()
        #expect(try text(for: one, of: stepped, length: 9) == "+second\r\n")
        #expect(try text(for: two, of: stepped, length: 7) == "+PONG\r\n")
        let session = try #require(stepped.daemon.sessions.find("room"))
        #expect(session.history(1).map { session.actor(of: $0) } == ["ann"])
        // Later connections do not wait.
        let three = try stepped.connect()
        three.send("PING\r\n")
        try stepped.turn()
        #expect(three.read() == "+PONG\r\n" && directory.requests.count == 1)
    }

    @Test func `A user with all waiting connections loses some to other users, until they have equally many`() throws {
        let directory = SlowDirectory()
        let stepped = try SteppedDaemon()
        let names = try UserNames(on: stepped.loop, known: []) { directory.find($0) }
        stepped.daemon.connections.users = names
        func wait(_ user: uid_t) throws {
            guard let end = Descriptor(socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)) else { throw POSIXError(.EMFILE) }
            names.lookUp(user, for: end) { _ in }
        }
        func expels(for user: uid_t) -> Bool {
            if let _ = names.expel(for: user) { true } else { false }
        }
        for _ in 0..<4 { try wait(1) }
        #expect(!expels(for: 1) && expels(for: 2) && names.waitingCount == 3)
        try wait(2)
        #expect(expels(for: 2) && names.waitingCount == 3)
        #expect(!expels(for: 2) && !expels(for: 1) && expels(for: 3))
        for _ in 0..<2 { directory.answer() }
        let isOver = try eventually {
            try stepped.turn()
            return names.waitingCount == 0
        }
        #expect(isOver)
    }

    @Test func `Connections that wait for a name are limited, and closed when the daemon stops`() throws {
        let directory = SlowDirectory()
        let stepped = try daemon(asking: directory) { $0.strangers = 2 }
        let clients = try (0..<3).map { _ in try stepped.connect() }
        let error = try #require(clients[2].read())
        #expect(error.hasPrefix("-LIMIT limit of 2 connections whose user's name is being looked up reached"), "\(error)")
        #expect(clients[2].read() == nil && clients[0].read() == "" && clients[1].read() == "")
        stepped.daemon.connections.finish()
        #expect(clients[0].read() == nil && clients[1].read() == nil)
        directory.answer()
        #expect(eventually { directory.requests.count == 1 })
        try stepped.turn(3)
        #expect(stepped.daemon.connections.count == 0)
    }
}
