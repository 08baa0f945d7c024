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
private final class Hotel {
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
        try daemon.goOn(from: store)
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
    func restarted() throws -> Hotel {
        try daemon.persistence?.finish()
        return try Hotel(store.successor())
    }
}

/// The model: each session's remaining time.
private struct Guests {
    struct Guest: Equatable {
        let length: Int
        var left: Int
        var isPaused = false
        /// Whether it restarts when its time is over.
        var returns: Bool { length == Hotel.game }
    }

    var all: [String: Guest] = [:]

    mutating func touch(_ name: String) {
        if let length = all[name]?.length { all[name]?.left = length }
    }

    mutating func advance(_ milliseconds: Int) {
        for (name, guest) in all where !guest.isPaused {
            let left = guest.left - milliseconds
            if left > 0 {
                all[name]?.left = left
            } else if guest.returns {
                all[name]?.left = guest.length - (-left % guest.length)
            } else {
                all[name] = nil
            }
        }
    }
}

@Suite struct `The time until sessions expire` {
    @Test func `The time until sessions expire matches a model, over any commands and any number of restarts`() throws {
        var random = SeededGenerator.announced("expiry model", seed: 20_26)
        var (hotel, guests) = (try Hotel(), Guests())
        let names = (0..<8).map { "room-\($0)" }
        for step in 0..<600 {
            let name = names.randomElement(using: &random) ?? ""
            let deed = try happen(to: name, &hotel, &guests, &random)
            for name in names {
                let said = try hotel.run("STATE \(name)")["expires_ms"]?.integer
                guard said != guests.all[name]?.left else { continue }
                Issue.record(
                    "step \(step), \(deed): \(name) has \(said ?? -1), and should have \(guests.all[name]?.left ?? -1)")
                return
            }
        }
    }

    /// Does something random to the session or to all of them, and returns its description.
    private func happen(
        to name: String, _ hotel: inout Hotel, _ guests: inout Guests, _ random: inout SeededGenerator
    ) throws -> String {
        let known = guests.all[name]
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<4:
            let milliseconds = Int.random(
                in: 1...[1_000, 20_000, 200_000][Int.random(in: 0..<3, using: &random)], using: &random)
            guests.advance(milliseconds)
            return try said("ADVANCE \(milliseconds)", to: hotel)
        case 4:
            hotel = try hotel.restarted()
            return "a restart"
        case 5:
            if known != nil {
                guests.all[name] = nil
                return try said("DROP \(name)", to: hotel)
            }
            let isGame = Bool.random(using: &random)
            let length = isGame ? Hotel.game : Hotel.turns
            guests.all[name] = Guests.Guest(length: length, left: length)
            return try said("NEW \(name) \(isGame ? "game" : "turns")", to: hotel)
        case 6:
            guests.touch(name)
            guests.all[name]?.isPaused.toggle()
            return try said("\(known?.isPaused == true ? "RESUME" : "PAUSE") \(name)", to: hotel)
        case 7:
            guests.touch(name)
            guests.all[name]?.isPaused = false
            return try said("RESTART \(name)", to: hotel)
        case 8: return try said("VIEW \(name)", to: hotel)
        default:
            guests.touch(name)
            return try said("SEND \(name) \(Bool.random(using: &random) ? "pass" : "nonsense")", to: hotel)
        }
    }

    private func said(_ line: String, to hotel: Hotel) throws -> String {
        try hotel.run(line)
        return line
    }
}
