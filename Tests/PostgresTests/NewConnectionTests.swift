// Opening connections: addresses, timeouts, settings, and errors.

import Foundation
import Postgres
import PostgresServer
import TestSupport
import Testing

@Suite(.enabled(if: PostgresPrograms.areExpected, "\(PostgresPrograms.absence)")) struct `A connection that is opened` {
    @Test func `A new connection has its name and its timeouts, unless the address says otherwise`() throws {
        let server = try SharedServer.get()
        var timeouts = Timeouts.patient()
        (timeouts.statement, timeouts.lock, timeouts.idleInTransaction) = (
            .milliseconds(1_900), .milliseconds(800), .seconds(2)
        )
        let connection = try Connection(server.uri(), name: "gamed venue-a", timeouts: timeouts)
        let settings = ["application_name", "statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"]
        let values = try settings.map { try connection.run("SHOW \($0)")?.text(0, 0) }
        #expect(values == ["gamed venue-a", "1900ms", "800ms", "2s"])
        let named = try Connection(server.uri() + "?application_name=mine", timeouts: timeouts)
        #expect(try named.run("SHOW application_name")?.text(0, 0) == "mine")
    }

    @Test func `A new connection waits for a server that is not up yet, but not after a permanent error`() throws {
        let server = try PostgresServer(fsync: false)
        try server.stop()
        let started = DispatchGroup()
        var told = 0
        let connection = try Connection.open(server.uri(), waiting: .seconds(120)) { _ in
            told += 1
            DispatchQueue.global().async(group: started) { try? server.start() }
        }
        started.wait()
        #expect(try connection.run("SELECT 1")?.text(0, 0) == "1")
        #expect(told == 1)
        for address in [
            "postgres://nobody:wrong@127.0.0.1:\(server.port)/postgres", "postgres://nobody:wr@ng@127.0.0.1/postgres",
        ] {
            let began = ContinuousClock.now
            #expect(throws: PostgresError.self) {
                try Connection.open(address, waiting: .seconds(120)) { _ in Issue.record("it waited") }
            }
            #expect(ContinuousClock.now - began < .seconds(60))
        }
        try server.stop()
        #expect(throws: PostgresError.self) { try Connection.open(server.uri(), waiting: .milliseconds(300)) { _ in } }
    }

    @Test func `A new connection accepts a URI, keywords, a UNIX socket, a service file and a passfile`() throws {
        let (server, folder) = (try SharedServer.get(), try Folder())
        let passfile = folder.path + "/pass"
        try "127.0.0.1:\(server.port):*:postgres:\(PostgresServer.password)\n".write(
            toFile: passfile, atomically: true, encoding: .utf8)
        chmod(passfile, 0o600)
        let base = "host=127.0.0.1 port=\(server.port) user=postgres dbname=postgres"
        for address in [
            server.uri(), server.localUri(), "\(base) password=\(PostgresServer.password)", "\(base) passfile=\(passfile)",
        ] {
            #expect(try Connection(address, timeouts: .patient()).run("SELECT 1")?.text(0, 0) == "1", "\(address)")
        }
        let services = folder.path + "/services"
        try "[games]\nhost=127.0.0.1\nport=\(server.port)\nuser=postgres\ndbname=postgres\npassfile=\(passfile)\n".write(
            toFile: services, atomically: true, encoding: .utf8)
        setenv("PGSERVICEFILE", services, 1)
        defer { unsetenv("PGSERVICEFILE") }
        #expect(try Connection("service=games", timeouts: .patient()).run("SELECT 1")?.text(0, 0) == "1")
    }

    /// Formerly the process trapped.
    @Test(arguments: ["postgres:///postgres?host=/nowhere", "postgres:///postgres?hostaddr=127.0.0.1&port=1"])
    func `A socket or a bare address without a server is an error`(address: String) {
        #expect(failure { try Connection(address, timeouts: .patient()) }?.outcome == .notSent)
    }

    @Test func `A new connection tries the next host if one is silent, within one timeout for all`() throws {
        let server = try SharedServer.get()
        let silent = try Proxy(to: server.port)
        silent.set(.toServer, .hold(after: 0))
        let gone = try ClosedPort()
        defer { gone.release() }
        var timeouts = Timeouts.patient()
        timeouts.connect = .seconds(6)
        let hosts = "127.0.0.1:\(silent.port),127.0.0.1:\(gone.number),127.0.0.1:\(server.port)"
        let connection = try Connection("postgres://postgres:\(PostgresServer.password)@\(hosts)/postgres", timeouts: timeouts)
        #expect(connection.server == "PostgreSQL at 127.0.0.1:\(server.port)")
        timeouts.connect = .milliseconds(200)
        let began = ContinuousClock.now
        let error = failure {
            try Connection(
                "host=127.0.0.1,127.0.0.1 port=\(silent.port),\(gone.number) user=postgres password=never-said",
                timeouts: timeouts)
        }
        #expect(ContinuousClock.now - began < .seconds(15))
        #expect(error?.outcome == .notSent)
        let message = try #require(error?.message)
        #expect(message.hasPrefix("PostgreSQL at 127.0.0.1:\(silent.port) does not answer in time; "), "\(message)")
        #expect(message.hasSuffix("port \(gone.number) failed: Connection refused"), "\(message)")
    }

    /// Connections to it are made, but nothing answers.
    private func silence(_ address: String, _ port: Int) throws -> Int32 {
        let silent = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = in_port_t(port).bigEndian
        place.sin_addr.s_addr = inet_addr(address)
        let result = withUnsafePointer(to: &place) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(silent, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(silent >= 0 && result == 0 && listen(silent, 8) == 0)
        return silent
    }

    @Test func `A new connection tries the next address of a name if one is silent or refuses`() throws {
        let server = try SharedServer.get()
        let silent = try silence("127.0.0.7", server.port)
        defer { close(silent) }
        let address = "postgres://postgres:\(PostgresServer.password)@db.test:\(server.port)/postgres"
        var connection: Connection?
        for seconds in [2, 10, 60] where connection == nil {
            var timeouts = Timeouts.patient()
            timeouts.connect = .seconds(seconds)
            connection = try? Connection(address, timeouts: timeouts) { _ in ["127.0.0.8", "127.0.0.7", "127.0.0.1"] }
        }
        #expect(try connection?.run("SELECT host(inet_server_addr())")?.text(0, 0) == "127.0.0.1")
        #expect(connection?.server == "PostgreSQL at db.test:\(server.port)")
        var timeouts = Timeouts.patient()
        timeouts.connect = .milliseconds(200)
        let error = failure { try Connection(address, timeouts: timeouts) { _ in ["127.0.0.7", "127.0.0.7"] } }
        #expect(error?.message == "PostgreSQL at db.test:\(server.port) does not answer in time")
    }

    @Test func `A name without addresses is reported as libpq reports it, without the password`() throws {
        let error = failure {
            try Connection("host=word.invalid user=postgres password=word", timeouts: .patient())
        }
        #expect(
            error?.message.hasPrefix("could not translate host name \"….invalid\" to address: ") == true,
            "\(String(describing: error))")
    }

    @Test func `A refused connection reports the server's message with its code`() throws {
        let server = try SharedServer.get()
        let missing = failure { try Connection(server.uri("nowhere"), timeouts: .patient()) }
        #expect(missing?.state == SQLState("3D000"))
        #expect(
            missing?.message.hasSuffix("failed: FATAL: database \"nowhere\" does not exist") == true,
            "\(String(describing: missing))")
    }

    /// No error contains the password, or a part of it.
    @Test(arguments: [
        "postgres://postgres:s3cr3t-Word@127.0.0.1:PORT/postgres",
        "host=127.0.0.1 port=PORT user=postgres password=s3cr3t-Word",
        "postgres://postgres:s3cr3t-Word@127.0.0.1:GONE/postgres",
        "host=127.0.0.1 port=GONE user=postgres password='s3cr3t-Word'",
        "postgres://postgres:s3cr3t-Word@no-such-host.invalid/postgres", "postgres://postgres:s3cr3t-Word@127.0.0.1:x/postgres",
        "postgres://postgres:s3cr3t-Word@127.0.0.1:PORT/s3cr3t-Word",
        "postgres://postgres@127.0.0.1:PORT/?password=s3cr3t-Word",
        "postgres://postgres:s3c@r3t-Word@127.0.0.1:PORT/postgres", "postgres://postgres:s3c/r3t-Word@127.0.0.1/postgres",
        "postgres://postgres:s3c?r3t-Word@127.0.0.1/postgres", "postgres://postgres:s3c%zzr3t-Word@127.0.0.1/postgres",
        "postgres://postgres:s3c#r3t-Word@127.0.0.1/postgres", "host=127.0.0.1 password=s3c r3t-Word", "password='s3cr3t-Word",
        "host=127.0.0.1 password=s3c r3t-Word=1", "postgres://postgres:s3cr3t%2DWord@127.0.0.1:PORT/postgres",
    ])
    func `An error of a new connection never contains the password`(address: String) throws {
        let (server, gone) = (try SharedServer.get(), try ClosedPort())
        defer { gone.release() }
        let real = address.replacingOccurrences(of: "PORT", with: "\(server.port)")
            .replacingOccurrences(of: "GONE", with: "\(gone.number)")
        let error = try #require(failure { try Connection(real, timeouts: .patient()) })
        #expect(error.outcome == .notSent)
        #expect(!error.message.isEmpty && !error.message.contains("\n"))
        for text in ["\(error)", "\(error.message)", String(reflecting: error)] {
            for part in ["s3c", "r3t", "Word", "W%"] { #expect(!text.contains(part), "\(text)") }
        }
    }

    @Test func `A wrong password is refused with its code`() throws {
        let error = failure {
            try Connection(
                "host=127.0.0.1 port=\(SharedServer.get().port) user=postgres password=wrong-one", timeouts: .patient())
        }
        #expect(error?.state == .invalidPassword)
        #expect(error?.message.contains("password authentication failed for user \"postgres\"") == true)
    }
}
