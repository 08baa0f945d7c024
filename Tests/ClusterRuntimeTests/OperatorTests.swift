// Reports to the operator of a node: by --check, and about backups, which the database makes.

import PostgresServer
import TestSupport
import Testing

@Suite(.enabled(if: PostgresPrograms.areExpected, "\(PostgresPrograms.absence)")) struct `The operator of a node` {
    private let cluster: TestCluster

    init() throws { cluster = try TestCluster([:], shards: 4) }

    /// Runs gamed, and kills it after 30 s if it starts.
    private func gamed(
        _ first: String..., words: [String] = [], store: String? = nil
    ) throws -> (output: String, status: Int32) {
        let address = store ?? cluster.server.uri(cluster.database)
        let socket = cluster.folder.path + "/checked.sock"
        let program = productsDirectory.appending(path: "gamed").path
        let fixed = ["--store", address, "--socket", socket, "--config", "none", "--http", "none"]
        return try run("timeout", ["30", program] + fixed + first + words)
    }

    @Test func `A check of a sound cluster finds no problem, and changes nothing`() throws {
        let check = try gamed("--check", "--shards", "4")
        #expect(check.status == 0 && check.output.contains("all is well"), "\(check.output)")
        #expect(try cluster.server.ask("SELECT count(*) FROM node", in: cluster.database) == "0")
    }

    @Test func `A check reports a database that is unreachable, without its password`() throws {
        let check = try gamed("--check", store: "postgres://gamed:secret@127.0.0.1:1/gamed")
        #expect(check.status == 74 && check.output.contains("127.0.0.1"), "\(check.output)")
        #expect(!check.output.contains("secret"))
    }

    @Test func `A check reports that the tables are missing, and how to make them`() throws {
        let check = try gamed("--check", store: cluster.server.uri(try cluster.server.newDatabase()))
        #expect(check.status == 78, "\(check.output)")
        #expect(check.output.contains("has no tables of gamed; `gamed --store … --init` makes them"), "\(check.output)")
    }

    @Test func `A check reports settings that contradict each other`() throws {
        let check = try gamed("--check", "--data", cluster.folder.path)
        #expect(check.status == 64 && check.output.contains("--store and --data exclude each other"), "\(check.output)")
    }

    @Test(arguments: [["--check"], []])
    func `A check or a start reports that the database has another number of shards`(words: [String]) throws {
        let start = try gamed("--shards", "5", words: words)
        let sentence = "has 4 shards; --shards 5 cannot change that"
        #expect(start.status == 64 && start.output.contains(sentence), "\(start.output)")
    }

    @Test func `The tables can be created at the address in the configuration file`() throws {
        let file = cluster.folder.path + "/gamed.json5"
        try "{ store: '\(cluster.server.uri(cluster.database))' }".write(toFile: file, atomically: true, encoding: .utf8)
        let made = try run(productsDirectory.appending(path: "gamed").path, ["--config", file, "--init", "--shards", "4"])
        #expect(made.status == 0 && made.output.contains("has gamed's tables already, with 4 shards"), "\(made.output)")
    }

    @Test func `A node refuses BACKUP to a path, and points to the backups of the database`() throws {
        try cluster.start("venue-a")
        let node = try cluster.node("venue-a")
        let refused = try node.answer("BACKUP", "/tmp/copy.db")
        #expect(refused.code?.text == "BACKUP" && refused.sentence?.contains("pg_dump") == true, "\(refused)")
        #expect(try !node.answer("BACKUP").isError)
    }
}
