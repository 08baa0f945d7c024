// Notices and notifications, and waits that another thread ends.

import Foundation
import Postgres
import PostgresServer
import Synchronization
import TestSupport
import Testing

@Suite(.enabled(if: PostgresPrograms.areExpected, "\(PostgresPrograms.absence)"))
struct `Notices, notifications and interruptions` {
    /// The notices and notifications that a listener got.
    private final class Heard {
        var notices: [Notice] = []
        var notifications: [PostgresNotification] = []
    }

    private func listener(_ heard: Heard) -> Postgres.Listener {
        Postgres.Listener(onNoticed: { heard.notices.append($0) }, onNotified: { heard.notifications.append($0) })
    }

    @Test func `A warning is reported as a notice`() throws {
        let heard = Heard()
        let connection = try SharedServer.connect(listener: listener(heard))
        try connection.run("DO $$ BEGIN RAISE WARNING 'mind the gap'; END $$")
        #expect(heard.notices.map(\.message) == ["mind the gap"])
        #expect(heard.notices.first?.severity == "WARNING" && heard.notices.first?.state == SQLState("01000"))
        try connection.send(Statement("COMMIT"))
        try connection.sync()
        while connection.awaited > 0 { _ = connection.next() }
        #expect(heard.notices.last?.message == "there is no transaction in progress", "in a pipeline, too")
    }

    @Test func `A notification ends a wait, and is also reported while a statement runs`() throws {
        let heard = Heard()
        let connection = try SharedServer.connect(listener: listener(heard))
        let name = "channel_\(UInt32.random(in: 0 ... .max))"
        try connection.run("LISTEN \(name)")
        try SharedServer.get().ask("NOTIFY \(name), 'first'")
        #expect(connection.wait(until: Deadline(in: .seconds(30))) == .notification)
        #expect(heard.notifications.map(\.payload) == ["first"] && heard.notifications[0].channel == name)
        try connection.execute(Statement("SELECT pg_notify($1, 'second')"), [.text(name)])
        #expect(eventually { heard.notifications.count == 2 || connection.wait(until: Deadline(in: .seconds(1))) == .deadline })
        #expect(heard.notifications.map(\.payload) == ["first", "second"])
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
}
