// A data directory with hundreds of sessions in it, and a daemon in this process that restores them.

import Foundation
import GameFlow
import RESP
import TestSupport
import Testing
import Timers
@testable import Commands
@testable import Console
@testable import EventLoop
@testable import GameDaemon
@testable import Journal
@testable import Logging
@testable import Posix
@testable import Simulation
@testable import SQLiteStore
@testable import Store

/// A start of a daemon in a directory, in virtual time, without a socket.
final class DirectoryDaemon {
    let daemon: Daemon
    private let loop: Loop
    private let client: LocalClient
    /// The lines of its log.
    private(set) var logged: [String]

    /// Restores the sessions. Throws the error with which a start would be refused.
    init(_ folder: Folder, _ durability: Durability, acceptsLoss: Bool = false) throws {
        let said = Output()
        let log = Log(level: .notice, style: .dated) { line in
            said.lines.append(String(decoding: line, as: UTF8.self))
            return true
        }
        loop = try Loop(Timekeeper(VirtualClock()))
        daemon = try Daemon(on: loop, flows: RehearsedFlows.builtIn.makeIdle(), log: log)
        let store = try SQLiteStore(
            directory: folder.data, durability: durability, historyCapacity: daemon.limits.historyLines, boot: TurnClock.bootID,
            acceptsLoss: acceptsLoss)
        store.takeFindings().write(to: log)
        client = LocalClient(of: daemon.host, from: .network)
        try daemon.recover(from: store)
        logged = said.lines.filter { !$0.contains("restored ") }
    }

    private final class Output { var lines: [String] = [] }

    func run(_ line: String) -> Reply { client.run(line.split(separator: " ").map(String.init)).last ?? .null }

    /// Creates sessions of several flows, each with some history.
    func createSessions(_ count: Int) {
        for number in 0..<count {
            let name = "session-\(number)\(number % 3 == 0 ? "-with-a-long-name" : "")"
            switch number % 3 {
            case 0: _ = [run("NEW \(name) turns"), run("SEND \(name) pass"), run("SEND \(name) nonsense")]
            case 1: _ = [run("NEW \(name) game"), run("SEND \(name) startPlaying"), run("SEND \(name) chooseEpisode 3")]
            default: _ = [run("NEW \(name) registration"), run("SEND \(name) next")]
            }
        }
    }

    /// Sends events to some sessions, and drops others.
    func sendEvents(_ count: Int) {
        for number in 0..<count {
            let name = "session-\(number)\(number % 3 == 0 ? "-with-a-long-name" : "")"
            _ = number % 11 == 5 ? run("DROP \(name)") : run("SEND \(name) \(number % 3 == 0 ? "pass" : "next")")
            // Each in a batch of its own.
            daemon.persistence?.journal.submitTurn()
        }
    }

    /// Waits until every change is durable.
    func waitUntilDurable() throws {
        let journal = try #require(daemon.persistence?.journal)
        journal.submitTurn()
        #expect(eventually { journal.writer.report.safeThrough == journal.handedOver })
    }

    func finish() throws { try daemon.persistence?.finish() }

    /// All replies about the sessions, without fields that depend on the time of day.
    var contents: [Reply] {
        guard case .array(let reply) = run("SESSIONS 0 COUNT 100000"), case .array(let names)? = reply.last else { return [] }
        return names.compactMap(\.text).sorted().flatMap { name in
            ["STATE", "TIMERS", "HISTORY"].map { Self.lasting(run("\($0) \(name)")) }
        }
    }

    private static func lasting(_ reply: Reply) -> Reply {
        switch reply {
        case .map(let pairs):
            .map(pairs.filter { !["at_ms", "last_at_ms", "ago_ms", "deadline_ms", "generation"].contains($0.key.text) })
        case .array(let replies): .array(replies.map(lasting))
        default: reply
        }
    }
}
