// A database that is full: no acknowledged change is lost, and nodes resume by themselves once there is room.

import Foundation
import PostgresServer
import RESP
import TestSupport
import Testing

private let counter = """
    { id: "counter", initial: "on", context: { count: 0 }, states: { on: { on: { count: { actions: { assign: { count: "count + 1" } } } } } } }
    """

@Suite(.enabled(if: PostgresPrograms.areExpected, "\(PostgresPrograms.absence)"))
struct `A database that is full` {
    private let cluster: TestCluster

    init() throws {
        cluster = try TestCluster(["counter": counter])
        try cluster.start("a")
        try cluster.ask("NEW", "room", "counter")
        try cluster.ask("SEND", "room", "count")
    }

    private func sql(_ statement: String) throws -> String { try cluster.server.ask(statement, in: cluster.database) }

    /// From now on, nothing can be written into this table.
    private func fill(_ table: String) throws {
        let error = "RAISE EXCEPTION USING ERRCODE = '53100', MESSAGE = 'could not extend file: No space left on device'"
        _ = try sql("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN \(error); END$$")
        _ = try sql("CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON \(table) FOR EACH STATEMENT EXECUTE FUNCTION refuse()")
    }

    private func makeRoom(_ table: String) throws { _ = try sql("DROP TRIGGER refuse ON \(table)") }

    private func answer(_ words: String...) throws -> Answer { try cluster.node("a").answer(words: words) }

    /// Returns the count that a new node loads.
    private func countAfterRestart() throws -> Int? {
        cluster.stop("a")
        try cluster.start("b")
        return try cluster.value("count", of: "room")
    }

    @Test func `A full database refuses events with the reason, and accepts them once it has room`() throws {
        try fill("log")
        var refusals: Set<String> = []
        for number in 0..<20 {
            let refusal = try answer("SEND", "room", "count")
            // The node retries the first event, so its outcome is unknown.
            #expect(refusal.code == (number == 0 ? .unknown : .clusterDown), "\(refusal)")
            refusals.insert(refusal.sentence ?? "")
        }
        #expect(refusals.allSatisfy { $0.contains("No space left on device") }, "\(refusals)")
        let health = try answer("INFO", "persistence")
        #expect(health.text?.contains("journal_failure:the database: ") == true, "\(health)")
        try makeRoom("log")
        try #require(eventually { (try? answer("SEND", "room", "count").isError) == false })
        let count = try #require(try cluster.value("count", of: "room"))
        // The outcome of the first event was unknown. The others were refused.
        #expect((2...3).contains(count), "\(count)")
        #expect(try countAfterRestart() == count)
    }

    @Test func `A transaction on a full database has an unknown outcome, and its event id is used only once`() throws {
        try fill("log")
        #expect(try answer("MULTI").text == "OK")
        #expect(try answer("SEND", "room", "count", "ID", "k").text == "QUEUED")
        #expect(try answer("EXEC").code == .unknown)
        #expect(try answer("SEND", "room", "count", "ID", "k").code == .clusterDown)
        try makeRoom("log")
        try #require(eventually { (try? answer("SEND", "room", "count", "ID", "k").isError) == false })
        #expect(try cluster.value("count", of: "room") == 2)
        #expect(try countAfterRestart() == 2)
        #expect(try !cluster.ask("SEND", "room", "count", "ID", "k").isError)
        #expect(try cluster.value("count", of: "room") == 2)
    }

    @Test func `The log grows while only the tables of the database are full, and the tables catch up`() throws {
        try fill("sessions")
        for _ in 0..<20 { #expect(try !answer("SEND", "room", "count").isError) }
        try #require(
            eventually { (try? answer("INFO", "persistence").text)?.contains("No space left on device") == true })
        #expect(try sql("SELECT count(*) > 0 FROM log") == "t")
        try makeRoom("sessions")
        #expect(try eventually { try sql("SELECT count(*) FROM log") == "0" })
        #expect(try countAfterRestart() == 21)
    }

    @Test func `A full node table ends leases, and nodes resume once there is room`() throws {
        try fill("node")
        try #require(eventually { (try? answer("SEND", "room", "count"))?.code == .clusterDown })
        let sentence = try answer("STATE", "room").sentence ?? ""
        #expect(sentence.contains("No space left on device"), "\(sentence)")
        try makeRoom("node")
        try #require(eventually { (try? answer("SEND", "room", "count").isError) == false })
        #expect(try #require(try cluster.value("count", of: "room")) >= 2)
    }
}
