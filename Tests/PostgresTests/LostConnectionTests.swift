// Connections that are lost, and the outcomes that are reported then.

import Foundation
import Postgres
import PostgresServer
import TestSupport
import Testing

@Suite(.enabled(if: PostgresPrograms.areExpected, "\(PostgresPrograms.absence)")) struct `A connection that is lost` {
    private let insert = Statement("INSERT INTO lost VALUES ($1)")

    @Test func `A commit whose answer is lost has an unknown outcome, and may have happened`() throws {
        let proxied = try ProxiedConnection()
        let connection = proxied.connection
        proxied.proxy.set(.toClient, .swallow(after: 0))
        try connection.send(insert, [.int32(1)])
        try connection.sync()
        #expect(try eventually { try proxied.count() == "1" })
        let began = ContinuousClock.now
        let deadline = Deadline(in: .milliseconds(300))
        let answers = [connection.next(until: deadline), connection.next(until: deadline)]
        #expect(answers.map { $0.error?.outcome } == [.unknown, .unknown])
        #expect(answers[1].error?.message.hasSuffix("is lost: it has not answered in time") == true)
        #expect(ContinuousClock.now - began < .seconds(20))
        #expect(failure { try connection.send(insert, [.int32(2)]) }?.outcome == .notSent)
    }

    @Test func `A commit that is lost itself has an unknown outcome, and has not happened`() throws {
        let proxied = try ProxiedConnection()
        let connection = proxied.connection
        proxied.proxy.set(.toServer, .swallow(after: 20))
        try connection.send(insert, [.int32(1)])
        try connection.sync()
        #expect(connection.next(until: Deadline(in: .milliseconds(100))).error?.outcome == .unknown)
        proxied.proxy.cut()
        #expect(try proxied.count() == "0")
    }

    @Test func `A connection that is cut in a pipeline fails each statement without an answer`() throws {
        let proxied = try ProxiedConnection()
        let connection = proxied.connection
        for number in 0..<3 as Range<Int32> {
            try connection.send(insert, [.int32(number)])
            try connection.sync()
        }
        #expect(connection.next().rows != nil)
        #expect(connection.next().isSynced)
        #expect(try eventually { try proxied.count() == "3" })
        // Answers that have arrived by then are still returned.
        #expect(connection.wait(until: Deadline(in: .seconds(30))) == .answer)
        proxied.proxy.set(.toClient, .hold(after: 0))
        for number in 3..<6 as Range<Int32> {
            try connection.send(insert, [.int32(number)])
            try connection.sync()
        }
        proxied.proxy.cut()
        var answers: [PipelineAnswer] = []
        while connection.awaited > 0 { answers.append(connection.next()) }
        #expect(answers.count == 10)
        let firstError = answers.firstIndex { $0.error != nil } ?? 0
        #expect(answers[firstError...].allSatisfy { $0.error?.outcome == .unknown })
        #expect(failure { try connection.sync() }?.outcome == .notSent)
    }

    /// The proxy cuts the connection within the statements or within the answers.
    @Test(arguments: [Proxy.Direction.toServer, .toClient])
    func `A connection that is cut anywhere reports the true outcome, or an unknown one`(direction: Proxy.Direction) throws {
        let server = try SharedServer.get()
        let table = "cut_\(direction)"
        try server.ask("CREATE TABLE \(table) (n int PRIMARY KEY)")
        var said: [Int32: String] = [:]
        for place in stride(from: 0, to: 140, by: 7) as StrideTo<Int32> {
            let proxy = try Proxy(to: server.port)
            let connection = try Connection(server.uri("postgres", port: proxy.port), timeouts: .patient())
            proxy.set(direction, .cut(after: Int(place)))
            let error = failure {
                try connection.execute(Statement("INSERT INTO \(table) VALUES ($1)"), [.int32(place)])
            }
            #expect(error == nil || failure { try connection.sync() }?.outcome == .notSent)
            said[place] = error.map { "\($0.outcome)" } ?? "done"
        }
        let kept = try server.ask("SELECT n FROM \(table)").split(separator: "\n").compactMap { Int32($0) }
        for (place, outcome) in said where outcome != "unknown" {
            #expect(kept.contains(place) == (outcome == "done"), "\(place): \(outcome)")
        }
        #expect(said.values.contains("unknown") && said.values.contains("done"))
    }

    @Test func `A statement for a server that has already gone is reported as not sent`() throws {
        let proxied = try ProxiedConnection()
        let connection = proxied.connection
        proxied.proxy.cut()
        #expect(
            eventually { failure { try connection.send(insert, [.int32(1)]) }?.outcome == .notSent || connection.awaited > 0 })
        #expect(try proxied.count() == "0")
    }

    @Test func `A connection that the server ends reports the server's reason`() throws {
        let connection = try SharedServer.connect()
        let ended = try #require(try connection.run("SELECT pg_backend_pid()")?.text(0, 0))
        try SharedServer.get().ask("SELECT pg_terminate_backend(\(ended), 30000)")
        #expect(connection.wait(until: Deadline(in: .seconds(30))) != .deadline)
        let error = try #require(failure { try connection.execute(insert, [.int32(1)]) })
        #expect(error.outcome == .notSent && error.state == .adminShutdown)
        #expect(error.message.contains("terminating connection due to administrator command"))
    }

    @Test func `A statement on a connection that the server has ended is reported as not sent`() throws {
        let connection = try SharedServer.connect()
        let ended = try #require(try connection.run("SELECT pg_backend_pid()")?.text(0, 0))
        try SharedServer.get().ask("SELECT pg_terminate_backend(\(ended), 30000)")
        let error = try #require(failure { try connection.execute(insert, [.int32(1)]) })
        #expect(error.outcome == .notSent && error.state == .adminShutdown)
    }

    @Test func `A statement during which the server ends the connection has an unknown outcome`() throws {
        let connection = try SharedServer.connect()
        try connection.send(Statement("SELECT pg_terminate_backend(pg_backend_pid()), pg_sleep(30)"))
        try connection.sync()
        let answers = [connection.next(), connection.next()]
        #expect(answers.map { $0.error?.outcome } == [.unknown, .unknown])
        #expect(answers.map { $0.error?.state } == [.adminShutdown, .adminShutdown])
    }

    @Test func `A server that is killed during a pipeline loses no acknowledged commit`() throws {
        let server = try PostgresServer()
        try server.ask("CREATE TABLE lost (n int)")
        let connection = try Connection(server.uri(), timeouts: .patient())
        var sent: Int32 = 0
        var answered = 0
        while sent < 400 {
            try connection.send(insert, [.int32(sent)])
            try connection.sync()
            sent += 1
        }
        while answered < 100 {
            _ = connection.next()
            if connection.next().isSynced { answered += 1 }
        }
        server.kill()
        var outcomes: [PostgresError.Outcome] = []
        while connection.awaited > 0 {
            _ = connection.next()
            switch connection.next() {
            case .synced: answered += 1
            case .failed(let error): outcomes.append(error.outcome)
            case .done: Issue.record("a transaction's end is not a statement")
            }
        }
        #expect(outcomes.allSatisfy { $0 == .unknown })
        try server.start()
        let kept = Int(try server.ask("SELECT count(*) FROM lost")) ?? 0
        #expect(kept >= answered && kept <= Int(sent), "\(answered) answered, \(kept) kept")
    }

    @Test func `A slow server reaches its own timeout first, and the connection stays open`() throws {
        let connection = try SharedServer.connect(.milliseconds(50))
        let error = failure { try connection.execute(Statement("SELECT pg_sleep(30)")) }
        #expect(error?.outcome == .refused && error?.state == SQLState("57014"))
        #expect(try connection.execute(Statement("SELECT 1")).int64(0, 0) == 1)
    }

    @Test func `A connection to a server that hangs is lost at the deadline`() throws {
        let proxied = try ProxiedConnection()
        let connection = proxied.connection
        proxied.proxy.set(.toServer, .hold(after: 0))
        let error = failure { try connection.run("SELECT 1", until: Deadline(in: .milliseconds(50))) }
        #expect(error?.outcome == .unknown)
        #expect(failure { try connection.sync() }?.outcome == .notSent)
    }

    @Test func `A statement over a slow network succeeds`() throws {
        let proxied = try ProxiedConnection()
        let connection = proxied.connection
        proxied.proxy.delay(.milliseconds(30))
        _ = try connection.execute(insert, [.int32(1)])
        proxied.proxy.pass()
        _ = try connection.execute(insert, [.int32(1)])
        #expect(try proxied.count() == "2")
    }
}
