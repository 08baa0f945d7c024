// redis-cli at a terminal: hints, completion, help and errors.

import Foundation
import Testing
import TestSupport

@Suite(.serialized) struct `redis-cli in a terminal` {
    private let daemon: RunningDaemon

    init() throws {
        daemon = try RunningDaemon.virtual(["--session", "room=turns"])
    }

    private func client(_ options: String...) throws -> Terminal {
        let terminal = try Terminal("redis-cli", options + ["-s", daemon.socketPath], home: daemon.folder)
        try terminal.wait(for: prompt)
        return terminal
    }

    private var prompt: String { "redis \(daemon.socketPath)> " }

    /// Returns a hint as redis-cli shows it: grey text after the typed words.
    private func hint(_ text: String) -> String { "\u{1B}[0;90;49m\(text)\u{1B}[0m" }

    @Test func `redis-cli shows the missing arguments of a command as a hint`() throws {
        let terminal = try client()
        terminal.type("SEND")
        try terminal.wait(for: "SEND" + hint(" session event [payload] [IF version] [ID id]"))
        terminal.type(" room")
        try terminal.wait(for: "SEND room" + hint(" event [payload] [IF version] [ID id]"))
        terminal.type(" pass")
        try terminal.wait(for: "SEND room pass" + hint(" [payload] [IF version] [ID id]"))
        terminal.type("\r")
        try terminal.wait(for: "second\r\n")
    }

    @Test func `redis-cli completes a command's name`() throws {
        let terminal = try client()
        terminal.type("sess\t")
        try terminal.wait(for: prompt + "SESSIONS")
        terminal.type("\r")
        try terminal.wait(for: #"1) "room""#)
    }

    @Test func `redis-cli completes commands and shows hints, replies and errors with RESP3 as well`() throws {
        let terminal = try client("-3")
        terminal.type("stat\t ")
        try terminal.wait(for: "STATE " + hint("session"))
        terminal.type("room\r")
        try terminal.wait(for: ##"1# "flow" => "turns""##)
        try terminal.wait(for: prompt)
        terminal.type("SEND room jump\r")
        try terminal.wait(for: "(error) BADEVENT 'turns' has no event 'jump'; available: pass")
    }

    @Test func `redis-cli continues after an error reply, and ends on QUIT`() throws {
        let terminal = try client()
        terminal.type("SEND room jump\r")
        try terminal.wait(for: "(error) BADEVENT")
        try terminal.wait(for: prompt)
        terminal.type("QUIT\r")
        #expect(terminal.waitForEnd() == 0)
    }

    /// The arguments are those that all versions of redis-cli print alike; versions differ in how they show alternatives.
    @Test(arguments: [
        ("EXTEND", "session timer duration"),
        ("SESSIONS", "[cursor] [MATCH glob] [FLOW f] [STATE s] [COUNT n]"),
        ("WATCH", "session [session ...]"),
        ("UNSUBSCRIBE", "[session:NAME [session:NAME ...]]"),
        ("INFO", "[section [section ...]]"),
    ])
    func `redis-cli help shows a command's arguments and its group`(name: String, arguments: String) throws {
        let terminal = try client()
        terminal.type("help \(name.lowercased())\r")
        try terminal.wait(for: "\(name)\u{1B}[0m \u{1B}[90m\(arguments)\u{1B}[0m")
        try terminal.wait(for: "group:\u{1B}[0m gamed")
    }
}
