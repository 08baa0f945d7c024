// Administration needs an authenticated client. Long words, patterns and listings are bounded.

import Memory
import RESP
import Testing
@testable import Commands
@testable import GameDaemon
@testable import Network
@testable import Sessions

@Suite struct `A guest` {
    @Test(arguments: [
        "CONFIG SET connections 5", "config set log debug", "CONFIG RESETSTAT", "CONFIG resetstat x", "CONFIG SHOW",
        "BACKUP /tmp/never",
    ])
    func `A guest is denied commands that administer the daemon, and a local client is not`(line: String) throws {
        let stepped = try SteppedDaemon()
        let guest = try stepped.connect(at: .tcp)
        guest.send(line + "\r\n")
        try stepped.turn()
        #expect(guest.read()?.hasPrefix("-NOPERM ") == true, "\(line)")
        let limits = stepped.daemon.limits
        #expect(limits == Limits())
        let known = try stepped.connect()
        known.send(line + "\r\n")
        try stepped.turn()
        #expect(known.read()?.hasPrefix("-NOPERM") == false)
    }

    @Test(arguments: [
        "CONFIG GET connections", "INFO", "COMMAND COUNT", "CLIENT LIST", "CLIENT SETNAME x", "ADVANCE 1s", "NEW b turns",
        "BLUETOOTH LIST", "DROP a", "RESET",
    ])
    func `A guest can read settings and statistics, and change sessions`(line: String) throws {
        let stepped = try SteppedDaemon()
        try stepped.daemon.begin("a", flow: "turns")
        let guest = try stepped.connect(at: .tcp)
        guest.send(line + "\r\n")
        try stepped.turn()
        #expect(guest.read()?.hasPrefix("-") == false, "\(line)")
    }

    @Test func `The error for a denied guest names the subcommand and the required role`() throws {
        let stepped = try SteppedDaemon()
        let guest = try stepped.connect(at: .tcp)
        guest.send("CONFIG RESETSTAT\r\n")
        try stepped.turn()
        #expect(
            guest.read()
                == "-NOPERM User 'guest' has no permissions to run the 'CONFIG RESETSTAT' command: the role is guest; required: master, "
                + "over the UNIX socket or with a token\r\n")
    }

    @Test func `CLIENT SOURCE orchestrator is denied to a guest over TCP and accepted over the UNIX socket`() throws {
        let stepped = try SteppedDaemon()
        let (near, far) = (try stepped.connect(), try stepped.connect(at: .tcp))
        for client in [near, far] { client.send("CLIENT SOURCE orchestrator\r\n") }
        try stepped.turn(2)
        #expect(near.read() == "+OK\r\n")
        #expect(
            far.read()
                == "-NOPERM User 'guest' has no permissions to run the 'CLIENT SOURCE' command: the role is guest; required: orchestrator, "
                + "over the UNIX socket or with a token\r\n"
        )
    }

    @Test func `The help of each guarded command names the role that it needs`() {
        for command in CommandTable.all.commands where command.flags.contains(.isGuarded) {
            #expect(command.details.contains("master") || command.details.contains("orchestrator"), "\(command.name)")
        }
    }
}

@Suite struct `A word that is too long` {
    private func reply(_ words: [String]) throws -> String {
        let stepped = try SteppedDaemon()
        try stepped.daemon.begin("a", flow: "turns")
        switch LocalClient(of: stepped.daemon.host).run(words).last {
        case .error(let code, let text)?: return "\(code) \(text)"
        case let other: return other?.text ?? "\(String(describing: other))"
        }
    }

    private static let long = String(repeating: "x", count: 1 << 20)

    @Test func `A word that is too long is refused, except where a command allows long values`() throws {
        for command in CommandTable.all.commands where command.words.upperBound > 1 && command.name != "QUIT" {
            for place in 1..<command.words.lowerBound + (command.words.count > 1 ? 1 : 0) where place != command.longWord {
                var words = [command.name] + Array(repeating: "a", count: max(command.words.lowerBound, place + 1) - 1)
                words[place] = Self.long
                let said = try reply(words)
                #expect(
                    said.hasPrefix("LIMIT word \(place) after \(command.name) has 1048576 bytes; the maximum is 16384"),
                    "\(command.name) \(place): \(said.prefix(200))")
            }
        }
    }

    @Test func `ECHO and PING return a long word unchanged`() throws {
        #expect(try reply(["ECHO", Self.long]) == Self.long)
        #expect(try reply(["PING", Self.long]) == Self.long)
    }

    @Test func `The error for a word that is too long quotes only its beginning`() throws {
        let marks = "e" + String(repeating: "\u{301}", count: 33_000)
        for word in [Self.long, marks, String(repeating: "👨‍👩‍👧‍👦", count: 5_000)] {
            let said = try reply([word])
            #expect(said.utf8.count < 400 && said.contains("…'; COMMAND LIST"), "\(said.utf8.count)")
            #expect(try reply(["NEW", "b", String(word.unicodeScalars.prefix(2_000))]).utf8.count <= 1_010)
        }
    }

    @Test(arguments: ["SESSIONS 0 MATCH", "CONFIG GET"]) func `A pattern that is too long is refused`(beginning: String) throws
    {
        let words = beginning.split(separator: " ").map(String.init) + [String(repeating: "[a-z]", count: 500)]
        #expect(try reply(words) == "LIMIT a pattern has at most 1020 bytes, not 2500")
    }

    @Test func `A command with thousands of extra words is refused for its wrong number of arguments`() throws {
        for line in [["INFO"], ["COMMAND", "DOCS"], ["CONFIG", "GET"], ["CLIENT", "LIST"]] {
            let said = try reply(line + Array(repeating: "send", count: 60_000))
            #expect(said.hasPrefix("ERR wrong number of arguments for '\(line[0])'"), "\(said.prefix(200))")
        }
    }

    @Test func `The total length of all clients' patterns is limited`() throws {
        let stepped = try SteppedDaemon { $0.patternPieces = 3_000 }
        let client = LocalClient(of: stepped.daemon.host)
        let other = LocalClient(of: stepped.daemon.host)
        func subscribe(_ client: LocalClient, _ letter: String, _ count: Int) -> String? {
            let pattern = "session:*" + String(repeating: letter, count: count)
            guard case .error(let code, let text)? = client.run(["PSUBSCRIBE", pattern]).last else { return nil }
            return "\(code) \(text)"
        }
        for number in 0..<3 { #expect(subscribe(client, "a", 900 + number) == nil) }
        let refusal = try #require(subscribe(client, "b", 900))
        #expect(
            refusal.hasPrefix(
                "LIMIT all patterns together have 2703 bytes after their stars, of at most 3000; use shorter ones"))
        // A pattern that exists already is not counted again, and unsubscribed patterns are no longer counted.
        #expect(subscribe(other, "a", 900) == nil)
        _ = client.run(["PUNSUBSCRIBE"])
        _ = other.run(["PUNSUBSCRIBE"])
        #expect(subscribe(other, "b", 900) == nil)
    }
}

@Suite struct `SESSIONS` {
    @Test func `SESSIONS lists every session, at most one turn's worth per reply`() throws {
        let stepped = try SteppedDaemon()
        for number in 0..<21_000 { try stepped.daemon.begin("s\(number)", flow: "turns") }
        let client = LocalClient(of: stepped.daemon.host)
        var (names, cursor, rounds) = (Set<String>(), "0", 0)
        repeat {
            guard case .array(let parts)? = client.run(["SESSIONS", cursor, "COUNT", "100000"]).last, parts.count == 2,
                case .array(let found) = parts[1]
            else { break }
            cursor = parts[0].text ?? "0"
            for name in found { names.insert(name.text ?? "") }
            rounds += 1
        } while cursor != "0" && rounds < 10
        #expect(names.count == 21_000)
        #expect(rounds == 2, "a turn's worth at a time")
    }

    @Test func `SESSIONS STATE ! charges the turn for a slow pattern, and stops at a turn's worth of it`() throws {
        let stepped = try SteppedDaemon()
        let sessions = stepped.daemon.sessions
        for number in 0..<500 {
            let name = ByteString(String(repeating: "a", count: 190) + "\(number)")
            sessions.setAsideSessions[name] = SetAsideSession(name: name, id: -1, flow: "turns", problem: "it does not fit")
        }
        let pattern = "*" + String(repeating: "a", count: 100) + "7*"
        let (client, turns) = (LocalClient(of: stepped.daemon.host), stepped.loop)
        var (names, cursor, rounds) = ([String](), "0", 0)
        repeat {
            let before = turns.pieces
            guard case .array(let parts)? = client.run(["SESSIONS", cursor, "STATE", "!", "MATCH", pattern]).last,
                parts.count == 2, case .array(let found) = parts[1]
            else { break }
            cursor = parts[0].text ?? "0"
            names += found.compactMap(\.text)
            if cursor != "0" { #expect(turns.pieces - before > 1_024, "more than a turn's worth") }
            rounds += 1
        } while cursor != "0" && rounds < 100
        #expect(Set(names).count == 11 && names.count == 11, "7 and 70 to 79")
        #expect(rounds > 1)
    }
}
