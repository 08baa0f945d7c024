// Notifications, and waits that another thread ends.

import Foundation
import Postgres
import PostgresServer
import Synchronization
import TestSupport
import Testing

@Suite(.enabled(if: PostgresPrograms.areExpected, "\(PostgresPrograms.absence)"))
struct `Notifications and interruptions` {
    @Test func `A notification ends a wait, and is also reported while a statement runs`() throws {
        let connection = try SharedServer.connect()
        let name = "channel_\(UInt32.random(in: 0 ... .max))"
        try connection.run("LISTEN \(name)")
        try SharedServer.get().ask("NOTIFY \(name), 'first'")
        #expect(connection.wait(until: Deadline(in: .seconds(30))) == .notification)
        #expect(try connection.notifications(until: Deadline(in: .zero)) == ["first"])
        try connection.execute(Statement("SELECT pg_notify($1, 'second')"), [.text(name)])
        #expect(try connection.notifications(until: Deadline(in: .seconds(30))) == ["second"])
    }

    @Test func `Another thread can end a wait at once, even if the network hangs`() throws {
        let server = try SharedServer.get()
        let (proxy, interrupter) = (try Proxy(to: server.port), Interrupter())
        let connection = try Connection(
            server.uri("postgres", port: proxy.port), timeouts: .patient(), interrupter: interrupter)
        proxy.set(.toServer, .hold(after: 0))
        try connection.send(Statement("SELECT 1"))
        try connection.sync()
        #expect(connection.wait(until: Deadline(in: .milliseconds(10))) == .deadline)
        Thread.detachNewThread { interrupter.interrupt() }
        let error = connection.next(until: Deadline(in: .seconds(60))).error
        #expect(error?.outcome == .unknown && error?.message.hasSuffix("it was interrupted") == true)
        let refused = failure { try Connection(server.uri("postgres", port: proxy.port), interrupter: interrupter) }
        #expect(refused?.message.hasSuffix("was interrupted") == true, "connecting is interrupted, too")
    }

    @Test func `Another thread can end the lookup of a name that no server answers`() throws {
        let interrupter = Interrupter()
        let (begun, answer, isOver) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        Thread.detachNewThread {
            begun.wait()
            interrupter.interrupt()
        }
        let refused = failure {
            try Connection("postgres://db.test/postgres", timeouts: .patient(), interrupter: interrupter) { _ in
                begun.signal()
                _ = answer.wait(timeout: .now() + 60)
                isOver.signal()
                return ["127.0.0.1"]
            }
        }
        #expect(isOver.wait(timeout: .now()) == .timedOut, "the lookup was waited for")
        answer.signal()
        #expect(refused?.message.hasSuffix("was interrupted") == true, "\(String(describing: refused))")
    }

    @Test func `Connections with one interrupter are interrupted together, also those being opened and later ones`() throws {
        let server = try SharedServer.get()
        let (proxy, interrupter) = (try Proxy(to: server.port), Interrupter())
        let uri = server.uri("postgres", port: proxy.port)
        let connection = try Connection(uri, timeouts: .patient(), interrupter: interrupter)
        proxy.set(.toServer, .hold(after: 0))
        try connection.send(Statement("SELECT 1"))
        try connection.sync()
        Thread.detachNewThread {
            _ = eventually { proxy.connections == 2 }
            interrupter.interrupt()
        }
        for _ in 0..<2 {
            let refused = failure { try Connection(uri, timeouts: .patient(), interrupter: interrupter) }
            #expect(refused?.message.hasSuffix("was interrupted") == true, "\(String(describing: refused))")
        }
        #expect(connection.next(until: Deadline(in: .seconds(60))).error?.message.hasSuffix("it was interrupted") == true)
    }
}
