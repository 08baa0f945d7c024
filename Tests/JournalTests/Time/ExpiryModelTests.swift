// --expire against a model that counts milliseconds: random commands, and an occasional restart.

import BuiltInFlows
import GameFlow
import MemoryStore
import RESP
import Seeds
import TestSupport
import Testing
import Timers
@testable import Commands
@testable import EventLoop
@testable import GameDaemon
@testable import Journal
@testable import Sessions

/// A daemon in virtual time whose sessions expire.
private final class ExpiryDaemon {
    static let (turns, game) = (60_000, 45_000)
    private let daemon: Daemon
    private let client: LocalClient
    private let store: MemoryStore

    init(_ store: MemoryStore = MemoryStore()) throws {
        self.store = store
        daemon = try Daemon(on: Loop(Timekeeper(VirtualClock())), flows: [.flow(Turns.self), .flow(Game.self)])
        daemon.sessions.expire(by: [
            ExpiryRule(flow: "turns", length: .milliseconds(Self.turns), action: .drop),
            ExpiryRule(flow: "game", length: .milliseconds(Self.game), action: .restart),
        ])
        client = LocalClient(of: daemon.host, from: .network)
        try daemon.recover(from: store)
    }

    /// Runs a command in its own turn.
    @discardableResult
    func run(_ line: String) throws -> Answer {
        var reply = Reply.null
        daemon.loop.schedule { [client] in reply = client.run(line.split(separator: " ").map(String.init)).last ?? .null }
        try daemon.loop.turn()
        return Answer(reply: reply)
    }

    /// The next start, once everything is on disk.
    func restarted() throws -> ExpiryDaemon {
        try daemon.persistence?.finish()
        return try ExpiryDaemon(store.successor())
    }
}

/// The model: each session's remaining time.
private struct ExpiryModel {
    struct Session: Equatable {
        let length: Int
        var left: Int
        var isPaused = false
        /// Whether it restarts when its time is over.
        var restarts: Bool { length == ExpiryDaemon.game }
    }

    var all: [String: Session] = [:]

    mutating func recordActivity(_ name: String) {
        if let length = all[name]?.length { all[name]?.left = length }
    }

    mutating func advance(_ milliseconds: Int) {
        for (name, session) in all where !session.isPaused {
            let left = session.left - milliseconds
            if left > 0 {
                all[name]?.left = left
            } else if session.restarts {
                all[name]?.left = session.length - (-left % session.length)
            } else {
                all[name] = nil
            }
        }
    }
}

@Suite struct `The time until sessions expire` {
    @Test func `The time until sessions expire matches a model, over any commands and any number of restarts`() throws {
        var random = SeededGenerator.announced("expiry model", seed: 20_26)
        var (daemon, model) = (try ExpiryDaemon(), ExpiryModel())
        let names = (0..<8).map { "room-\($0)" }
        for step in 0..<600 {
            let name = names.randomElement(using: &random) ?? ""
            let action = try runRandomCommand(on: name, &daemon, &model, &random)
            for name in names {
                let shown = try daemon.run("STATE \(name)")["expires_ms"]?.integer
                guard shown != model.all[name]?.left else { continue }
                Issue.record(
                    "step \(step), \(action): \(name) has \(shown ?? -1), and should have \(model.all[name]?.left ?? -1)")
                return
            }
        }
    }

    /// Does something random to the session or to all of them, and returns its description.
    private func runRandomCommand(
        on name: String, _ daemon: inout ExpiryDaemon, _ model: inout ExpiryModel, _ random: inout SeededGenerator
    ) throws -> String {
        let known = model.all[name]
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<4:
            let milliseconds = Int.random(
                in: 1...[1_000, 20_000, 200_000][Int.random(in: 0..<3, using: &random)], using: &random)
            model.advance(milliseconds)
            return try run("ADVANCE \(milliseconds)", on: daemon)
        case 4:
            daemon = try daemon.restarted()
            return "a restart"
        case 5:
            if known != nil {
                model.all[name] = nil
                return try run("DROP \(name)", on: daemon)
            }
            let isGame = Bool.random(using: &random)
            let length = isGame ? ExpiryDaemon.game : ExpiryDaemon.turns
            model.all[name] = ExpiryModel.Session(length: length, left: length)
            return try run("NEW \(name) \(isGame ? "game" : "turns")", on: daemon)
        case 6:
            model.recordActivity(name)
            model.all[name]?.isPaused.toggle()
            return try run("\(known?.isPaused == true ? "RESUME" : "PAUSE") \(name)", on: daemon)
        case 7:
            model.recordActivity(name)
            model.all[name]?.isPaused = false
            return try run("RESTART \(name)", on: daemon)
        case 8: return try run("VIEW \(name)", on: daemon)
        default:
            model.recordActivity(name)
            return try run("SEND \(name) \(Bool.random(using: &random) ? "pass" : "nonsense")", on: daemon)
        }
    }

    private func run(_ line: String, on daemon: ExpiryDaemon) throws -> String {
        try daemon.run(line)
        return line
    }
}
