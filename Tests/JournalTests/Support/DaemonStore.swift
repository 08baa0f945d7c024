// The store of a test's daemon, so that one test can check both a directory and a database.

import Foundation
import PostgresServer
import TestSupport
import Testing

enum StoreKind: String, CaseIterable, CustomTestStringConvertible {
    case directory, database

    var testDescription: String { rawValue }

    /// Both, if PostgreSQL is installed.
    static let all: [StoreKind] = PostgresPrograms.areExpected ? [.directory, .database] : [.directory]

    /// Each start on a database takes a second: `make test` tries some of each kind there, and `make soak` all.
    static let isThorough = ProcessInfo.processInfo.environment["GAMED_BOTH_STORES"] != nil
    /// Both in `make soak`.
    static let thorough: [StoreKind] = isThorough ? all : [.directory]

    /// Each of them, with a daemon that is killed and with one that is stopped; of a database one of the two, since each start takes a second.
    static func endings(ofDatabase isKilled: Bool) -> [(StoreKind, Bool)] {
        [(.directory, true), (.directory, false)] + (PostgresPrograms.areExpected ? [(.database, isKilled)] : [])
    }

    /// The same, of a database in `make soak` alone.
    static func thoroughEndings(ofDatabase isKilled: Bool) -> [(StoreKind, Bool)] {
        endings(ofDatabase: isKilled).filter { isThorough || $0.0 == .directory }
    }

    /// All cases with a directory, and those that `some` selects with a database.
    static func each<Case>(_ cases: [Case], ofDatabase some: (Case) -> Bool) -> [(StoreKind, Case)] {
        cases.map { (.directory, $0) } + (PostgresPrograms.areExpected ? cases.filter(some).map { (.database, $0) } : [])
    }
}

final class DaemonStore {
    /// One server for all databases. It ends with the process.
    static let server: Result<PostgresServer, any Error> = Result { try PostgresServer(fsync: false) }

    let folder: Folder
    /// Nil where sessions are in the folder.
    private let database: (server: PostgresServer, name: String)?
    /// Between the daemon and its database.
    private let proxy: Proxy?
    /// Whether the last daemon's time was virtual.
    private var isVirtual = true

    init(_ kind: StoreKind, throughProxy hasProxy: Bool = false) throws {
        folder = try Folder()
        guard kind == .database else {
            (database, proxy) = (nil, nil)
            return
        }
        let server = try Self.server.get()
        let database = (server, try server.newDatabase())
        self.database = database
        proxy = hasProxy ? try Proxy(to: server.port) : nil
        let words = ["--store", server.uri(database.1), "--init", "--shards", "4", "--config", "none"]
        let made = try run(productsDirectory.appending(path: "gamed").path, words)
        try #require(made.status == 0, "\(made.output)")
    }

    var kind: StoreKind { database == nil ? .directory : .database }

    private var storeURI: String? {
        database.map { $0.server.uri($0.name, port: proxy?.port ?? $0.server.port) }
    }

    /// Blocks or unblocks the network between the daemon and its database.
    func block(_ isBlocked: Bool) { proxy?.set(.toServer, isBlocked ? .hold(after: 0) : .pass) }

    /// Cuts or restores the network to the database.
    func disconnect(_ isGone: Bool) {
        guard isGone else { proxy?.pass(); return }
        proxy?.refuse()
        proxy?.cut()
    }

    // MARK: Starting and ending

    /// Starts a daemon and waits until it is up. Time is virtual with a directory, unless `isVirtual` is false.
    func start(
        _ words: [String] = [], isVirtual: Bool = true, environment: [String: String] = [:], program: String = "gamed",
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> RunningDaemon {
        let daemon = try launch(words, isVirtual: isVirtual, environment: environment, program: program)
        try #require(daemon.waitUntilUp(), "\(daemon.errors)", sourceLocation: sourceLocation)
        return daemon
    }

    /// Starts a daemon that may die before it is up.
    func launch(
        _ words: [String] = [], isVirtual: Bool = true, environment: [String: String] = [:], program: String = "gamed"
    ) throws -> RunningDaemon {
        self.isVirtual = isVirtual
        let durability = words.contains("--durability") ? [] : ["--durability", "always"]
        let time = database == nil && isVirtual ? ["--time", "virtual"] : []
        return try RunningDaemon(
            keepingIn: folder, durability + time + words, environment: environment, store: storeURI, program: program)
    }

    /// Stops or kills the daemon.
    func end(_ daemon: RunningDaemon, isKilled: Bool) throws {
        guard isKilled else { return #expect(daemon.stop() == 0) }
        daemon.killIt()
        try endLease()
    }

    /// Ends the lease of a dead daemon at once. A directory has none.
    func endLease() throws {
        try database?.server.ask(
            "UPDATE node SET ended = now() WHERE ended IS NULL; UPDATE shard SET owner = NULL, epoch = epoch + 1",
            in: database?.name ?? "")
    }

    /// Returns the daemon's messages, without those that each node prints that has no peer.
    func messages(of daemon: RunningDaemon) -> [Substring] {
        let ofNodes = ["no TCP listener: other nodes cannot redirect", "other nodes' pages cannot show this node's sessions"]
        return daemon.errors.split(separator: "\n").filter { line in
            kind == .directory || !ofNodes.contains { line.contains($0) }
        }
    }

    /// Ends the daemon, and starts the next one.
    func restart(_ daemon: RunningDaemon, isKilled: Bool = true, _ words: [String] = [], isVirtual: Bool = true) throws
        -> RunningDaemon
    {
        try end(daemon, isKilled: isKilled)
        return try start(words, isVirtual: isVirtual)
    }

    // MARK: Flows that trap

    /// Starts a daemon that hosts flows that trap: Tests/TrapProbe.
    func startTrapProbe(
        _ words: [String] = [], isVirtual: Bool = false, environment: [String: String] = [:],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> RunningDaemon {
        let environment = Folder.quiet.merging(environment) { $1 }
        return try start(
            words, isVirtual: isVirtual, environment: environment, program: "trap-probe", sourceLocation: sourceLocation)
    }

    func launchTrapProbe(environment: [String: String]) throws -> RunningDaemon {
        let environment = Folder.quiet.merging(environment) { $1 }
        return try launch(isVirtual: false, environment: environment, program: "trap-probe")
    }

    // MARK: Rows

    /// Runs a statement that both stores understand, when no daemon runs. Before that, starts and stops a daemon, which applies the log to the
    /// tables.
    @discardableResult
    func sql(_ statement: String, startedWith words: [String] = [], program: String = "gamed") throws -> String {
        try end(start(words, isVirtual: isVirtual, program: program), isKilled: false)
        return try database.map { try $0.server.ask(statement, in: $0.name) } ?? folder.sql(statement)
    }

    /// Runs a query while a daemon runs.
    func query(_ query: String) throws -> String {
        try database.map { try $0.server.ask(query, in: $0.name) } ?? folder.sql(query, isReadOnly: true)
    }

    /// The expected remaining time: exactly this with virtual time, and otherwise up to 20 s less.
    func remaining(of milliseconds: Int) -> ClosedRange<Int> {
        database == nil ? milliseconds...milliseconds : milliseconds - 20_000...milliseconds
    }
}
