// The private server, as other tests rely on it.

import Foundation
import Postgres
import PostgresServer
import TestSupport
import Testing

@Suite(.enabled(if: PostgresPrograms.areExpected, "\(PostgresPrograms.absence)")) struct `A private server of a test` {
    @Test func `A private server keeps commits when it is killed, and restarts at the same address`() throws {
        let server = try PostgresServer()
        let connection = try Connection(server.uri())
        try connection.run("CREATE TABLE kept (number int); INSERT INTO kept VALUES (1)")
        server.kill()
        #expect(throws: PostgresError.self) { try connection.run("SELECT 1") }
        try server.start()
        #expect(try server.ask("SELECT number FROM kept") == "1")
        try server.stop(.immediate)
        try server.start()
        #expect(try Connection(server.localUri()).run("SELECT number FROM kept")?.text(0, 0) == "1")
        let frozen = try Connection(server.localUri(), timeouts: .patient())
        server.freeze()
        #expect(failure { try frozen.run("SELECT 1", until: Deadline(in: .milliseconds(50))) }?.outcome == .unknown)
        server.goOn()
        #expect(try server.ask("SELECT 1") == "1")
        try server.stop(.smart)
    }

    @Test func `A private server uses TLS if sslmode requests it`() throws {
        let server = try PostgresServer(fsync: false)
        let (key, certificate) = (server.folder + "/key", server.folder + "/certificate")
        let made = try run(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key, "-out",
                certificate,
            ]
                + ["-days", "2", "-subj", "/CN=gamed-tests", "-addext", "subjectAltName=IP:127.0.0.1"])
        #expect(made.status == 0, "\(made.output)")
        try PostgresPrograms.give(key)
        for (name, value) in [("ssl_key_file", key), ("ssl_cert_file", certificate), ("ssl", "on")] {
            try server.ask("ALTER SYSTEM SET \(name) = '\(value)'")
        }
        try server.ask("SELECT pg_reload_conf()")
        let address = server.uri() + "?sslmode=verify-full&sslrootcert=\(certificate)"
        #expect(eventually { (try? Connection(address, timeouts: .patient())) != nil }, "\(server.log)")
        let connection = try Connection(address, timeouts: .patient())
        #expect(
            try connection.execute(Statement("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")).bool(0, 0) == true)
        let wrong = failure {
            try Connection(address.replacingOccurrences(of: "127.0.0.1", with: "localhost"), timeouts: .patient())
        }
        #expect(wrong?.outcome == .notSent && wrong?.message.contains("certificate") == true, "\(String(describing: wrong))")
    }

    @Test func `A server that a test no longer holds is gone with its directory`() throws {
        var server: PostgresServer? = try PostgresServer(fsync: false)
        let folder = try #require(server?.folder)
        server = nil
        #expect(!FileManager.default.fileExists(atPath: folder))
    }
}
