// Where a daemon of a test keeps its sessions, so that one test holds both stores to the same promise.

import Foundation
import PostgresServer
import TestSupport
import Testing

enum Keeping: String, CaseIterable, CustomTestStringConvertible {
    case directory, database

    var testDescription: String { rawValue }

    /// Each of them, with a daemon that is killed and with one that is stopped; of a database one of the two, since each start takes a second.
    static func endings(ofDatabase isKilled: Bool) -> [(Keeping, Bool)] {
        [(.directory, true), (.directory, false)] + (PostgresPrograms.areExpected ? [(.database, isKilled)] : [])
    }
}

final class Home {
    /// One server for all databases. It ends with the process.
    private static let server: Result<PostgresServer, any Error> = Result { try PostgresServer(fsync: false) }

    let folder: Folder
    /// Nil where sessions are in the folder.
    private let database: (server: PostgresServer, name: String)?

    init(_ keeping: Keeping) throws {
        folder = try Folder()
        guard keeping == .database else {
            database = nil
            return
        }
        let server = try Self.server.get()
        let database = (server, try server.newDatabase())
        self.database = database
        let words = ["--store", server.uri(database.1), "--init", "--shards", "4", "--config", "none"]
        let made = try run(productsDirectory.appending(path: "gamed").path, words)
        try #require(made.status == 0, "\(made.output)")
    }

    /// A daemon that is up. Time is virtual where that is possible.
    func start(_ words: [String] = []) throws -> DaemonProcess {
        let always = ["--durability", "always"]
        let daemon = try DaemonProcess(
            in: folder, always + (database == nil ? ["--time", "virtual"] : []) + words,
            store: database.map { $0.server.uri($0.name) })
        try #require(daemon.isUp(), "\(daemon.errors)")
        return daemon
    }

    /// Ends it. Of one that is killed, its lease is over at once.
    func end(_ daemon: DaemonProcess, isKilled: Bool) throws {
        guard isKilled else { return #expect(daemon.stop() == 0) }
        daemon.killIt()
        try database?.server.ask(
            "UPDATE node SET ended = now() WHERE ended IS NULL; UPDATE shard SET owner = NULL, epoch = epoch + 1",
            in: database?.name ?? "")
    }

    /// What a statement says that both stores understand, when no daemon runs. What the last one has left in its log becomes rows before that, as
    /// the next one starts.
    func sql(_ statement: String) throws -> String {
        try end(start(), isKilled: false)
        return try database.map { try $0.server.ask(statement, in: $0.name) } ?? folder.sql(statement)
    }
}
