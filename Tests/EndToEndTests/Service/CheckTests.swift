// `gamed --check`: it reports every mistake, changes no file, and runs beside a daemon.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct `A check of files on disk` {
    private let gamed = productsDirectory.appending(path: "gamed").path
    private let folder: Folder
    private let manager = FileManager.default

    init() throws { folder = try Folder() }

    private func check(_ words: [String], data: String? = nil) throws -> Program {
        try Program(gamed, ["--check", "--socket", folder.socket, "--data", data ?? folder.data] + words)
    }

    /// Contents and modification time of every file, by path.
    private var everything: [String: String] {
        var found: [String: String] = [:]
        for name in manager.enumerator(atPath: folder.path)?.compactMap({ $0 as? String }) ?? [] {
            let path = folder.path + "/" + name
            let date = (try? manager.attributesOfItem(atPath: path))?[.modificationDate]
            found[name] = "\(manager.contents(atPath: path)?.base64EncodedString() ?? "") \(date ?? "")"
        }
        return found
    }

    private func write(_ text: String, to name: String) throws -> String {
        try text.write(toFile: folder.path + "/" + name, atomically: true, encoding: .utf8)
        return folder.path + "/" + name
    }

    @Test func `A check does not report a missing flow for a session whose flow file is invalid`() throws {
        let flows = try write("{ id: \"pay\", intial: \"a\" }", to: "pay.json5")
        let words = ["--flows", flows, "--session", "p=pay", "--session", "t=turns"]
        let wrong = try check(words).errors
        #expect(wrong.contains("pay.json5:1:14: error: ") && !wrong.contains("there is no flow"), "\(wrong)")
        _ = try write("{ id: \"pay\", initial: \"a\", states: { a: {} } }", to: "pay.json5")
        #expect(try check(words).status == 0)
        #expect(try check(words + ["--session", "q=quiz"]).errors.contains("there is no flow 'quiz'"))
    }

    @Test func `A check counts the states of a flow file as gamectl check does`() throws {
        let nested = try write(
            "{ id: 'nest', initial: 'a', states: { a: { initial: 'b', states: { b: {}, c: {}, d: { type: 'history', target: 'b' } } } } }",
            to: "nest.json5")
        _ = try write("{ id: 'one', initial: 'a', states: { a: {} } }", to: "one.json5")
        let checked = try check(["--flows", folder.path])
        #expect(checked.output.contains(", nest (3 states), one (1 state)\n"), "\(checked)")
        #expect(try Program(gamectlPath, ["check", nested]).output.contains(": nest, 3 states, "))
    }

    @Test func `A check and a start refuse two listeners at one address with the same error and status`() throws {
        let words = ["--listen", "127.0.0.1:7654", "--http", "127.0.0.1:7654", "--trust-loopback"]
        let wrong = try check(words)
        let error = "--http 127.0.0.1:7654 and --listen 127.0.0.1:7654 exclude each other: give each its own port"
        #expect(wrong.status == 64 && wrong.errors.hasPrefix("gamed: \(error)\n"), "\(wrong)")
        let start = try Program(gamed, ["--socket", folder.socket, "--data", "none"] + words)
        #expect((start.errors, start.status) == ("gamed: \(error)\n", 64))
    }

    @Test func `A check reports whether the data directory can be created, without creating it`() throws {
        let well = try check([])
        #expect(well.status == 0, "\(well.errors)")
        #expect(!manager.fileExists(atPath: folder.data))
        let nowhere = try check([], data: "/nowhere/at/all")
        #expect(nowhere.status == 78)
        #expect(
            nowhere.errors
                == "gamed: cannot create the data directory /nowhere/at/all: the directory /nowhere/at does not exist; create it: mkdir -p /nowhere/at\n"
        )
        let none = try check(["--durability", "always"], data: "none")
        #expect(none.status == 0 && none.output.hasPrefix("--durability: warning: it has no effect beside --data none: "))
        #expect(none.output.hasSuffix("\na start would work, with 1 warning\n"), "\(none)")
        let file = try write("precious", to: "file")
        let noDirectory = try check([], data: file)
        #expect(noDirectory.status == 78)
        #expect(noDirectory.errors == "gamed: \(file) is not a directory; --data takes one\n")
    }

    /// Whether root runs the tests, in a folder that other users may enter.
    private static var isRootAmongUsers: Bool {
        var folder = FileManager.default.temporaryDirectory.standardizedFileURL
        while geteuid() == 0 {
            let mode = try? FileManager.default.attributesOfItem(atPath: folder.path)[.posixPermissions] as? Int
            guard let mode, mode & 0o001 != 0 else { return false }
            if folder.path == "/" { return true }
            folder.deleteLastPathComponent()
        }
        return false
    }

    @Test(
        .enabled(if: Self.isRootAmongUsers, "only root can give files to other users, who have to be able to enter the folder"))
    func `A check by root accepts tokens of the data directory's owner, as gamectl token does, and refuses another user's`()
        throws
    {
        try manager.createDirectory(
            atPath: folder.data, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let tokens = folder.path + "/tokens"
        let token = { (words: String...) in try Program(gamectlPath, ["token"] + words + ["--file", tokens]) }
        #expect(try token("new", "desk", "--role", "master").status == 0)
        try #require(chown(folder.data, 65_533, 65_533) == 0 && chown(tokens, 65_533, 65_533) == 0)
        try #require(chmod(folder.path, 0o755) == 0)
        let words = ["--token-file", tokens, "--listen", "127.0.0.1:0"]
        let well = try check(words)
        #expect(well.status == 0, "\(well.errors)")
        #expect(try token("new", "screen", "--role", "read").status == 0)
        #expect(try token("list").output.contains("screen"))
        #expect(try manager.attributesOfItem(atPath: tokens)[.ownerAccountID] as? Int == 65_533)
        try #require(chown(tokens, 65_532, 65_533) == 0 && chmod(tokens, 0o640) == 0)
        let foreign = try check(words)
        #expect(foreign.status == 78 && foreign.errors.contains("is owned by another user"), "\(foreign.errors)")
    }

    @Test(.enabled(if: geteuid() == 0, "only root can start on another user's directory"))
    func `A start by root on another user's data directory is refused and leaves no file in it`() throws {
        try manager.createDirectory(atPath: folder.data, withIntermediateDirectories: true)
        try #require(chown(folder.data, 65_533, 65_533) == 0)
        let daemon = try RunningDaemon(keepingIn: folder)
        #expect(daemon.waitForStatus() == 78)
        #expect(daemon.errors.contains("the data directory \(folder.data) belongs to"), "\(daemon.errors)")
        #expect(try manager.contentsOfDirectory(atPath: folder.data) == [])
        try #require(chown(folder.data, 0, 0) == 0)
        let own = try RunningDaemon(keepingIn: folder)
        #expect(own.waitUntilUp(), "\(own.errors)")
    }

    @Test(
        .enabled(if: Self.isRootAmongUsers, "only root can give files to other users, who have to be able to enter the folder"))
    func `A check by root reports files that the data directory's owner cannot read`() throws {
        try manager.createDirectory(
            atPath: folder.data, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try #require(chown(folder.data, 65_533, 65_533) == 0 && chmod(folder.path, 0o755) == 0)
        let flows = try write("{ id: 'one', initial: 'a', states: { a: {} } }", to: "one.json5")
        let tokens = folder.path + "/tokens"
        #expect(try Program(gamectlPath, ["token", "new", "desk", "--role", "master", "--file", tokens]).status == 0)
        let settings = try write("{ log: 'info' }", to: "settings.json5")
        let words = ["--config", settings, "--flows", flows, "--token-file", tokens, "--listen", "127.0.0.1:0"]
        let advice =
            "gamed: files were read with the rights of the daemon's user, '65533': that user, or its group, "
            + "must be able to read them and to enter their directories\n"
        for (file, status) in [(settings, Int32(78)), (flows, 65), (tokens, 78)] {
            for other in [settings, flows, tokens] {
                try #require(chown(other, 0, 65_533) == 0 && chmod(other, other == file ? 0o600 : 0o640) == 0)
            }
            let wrong = try check(words)
            #expect(wrong.status == status && wrong.errors.contains("\(file)"), "\(wrong)")
            #expect(wrong.errors.hasSuffix("Permission denied\n\(advice)"), "\(wrong)")
        }
        try #require(chmod(tokens, 0o640) == 0)
        let well = try check(words)
        #expect(well.status == 0, "\(well.errors)")
        try #require(chown(folder.data, 0, 0) == 0 && chmod(tokens, 0o600) == 0)
        #expect(try check(words).status == 0)
    }

    @Test func `A check of a foreign database fails with the same error and status as a start`() throws {
        try manager.createDirectory(atPath: folder.data, withIntermediateDirectories: true)
        let database = folder.data + "/gamed.db"
        try "This is no database.".write(toFile: database, atomically: true, encoding: .utf8)
        let before = everything
        let foreign = try check([])
        #expect(everything == before)
        #expect(foreign.status == 78)
        #expect(foreign.errors.contains("is not gamed's (it is not an SQLite database); it was left as it is"))
        let start = try Program(gamed, ["--socket", folder.socket, "--data", folder.data])
        #expect((start.errors, start.status) == (foreign.errors, foreign.status))
        try manager.removeItem(atPath: database)
        try "".write(toFile: database, atomically: true, encoding: .utf8)
        #expect(try check([]).status == 74)
    }

    @Test func `A check refuses a database of a newer schema and does not change it`() throws {
        let daemon = try RunningDaemon(["--socket", folder.socket, "--data", folder.data, "--session", "room=turns"])
        _ = daemon.readLine()
        daemon.signal(SIGTERM)
        #expect(daemon.waitForEnd().status == 0)
        #expect(try check([]).status == 0)
        let file = try #require(FileHandle(forUpdatingAtPath: folder.data + "/gamed.db"))
        try file.seek(toOffset: 60)
        try file.write(contentsOf: Data([0, 0, 0, 99]))
        try file.close()
        let before = everything
        let newer = try check([])
        #expect(newer.status == 78)
        #expect(newer.errors.contains("was written by a newer version (schema 99, "))
        #expect(everything == before)
    }

    @Test func `A check accepts a session that is named twice, with a start's warning if the flows differ`() throws {
        let same = try check(["--session", "a=turns", "--session", "a=turns"])
        #expect(same.status == 0 && !same.output.contains("names 'a' twice"), "\(same)")
        #expect(same.output.contains("would print: sessions: a (turns)\n"))
        let words = ["--session", "a=turns", "--session", "a=game"]
        let other = try check(words)
        let warning = "--session names 'a' twice, with the flows 'turns' and 'game'; its flow is 'turns': remove one"
        #expect(other.status == 0 && other.output.contains(warning), "\(other)")
        #expect(other.output.hasSuffix("\na start would work, with 1 warning\n"), "\(other)")
        #expect(!other.output.contains("drop it first"))
        #expect(other.output.contains("would print: sessions: a (turns)\n"))
        let daemon = try RunningDaemon(["--socket", folder.socket, "--data", folder.data] + words)
        #expect(daemon.complains("warning: \(warning)"))
        #expect(eventually { daemon.said.contains("\nsessions: a (turns)\n") })
        daemon.signal(SIGTERM)
        #expect(daemon.waitForEnd().status == 0)
        #expect(try check(words + ["--session", "a=quiz"]).errors.contains("there is no flow 'quiz'"))
    }

    @Test func `A check passes while the daemon of its socket runs, and fails beside another daemon`() throws {
        let daemon = try RunningDaemon(
            [
                "--socket", folder.socket, "--data", folder.data, "--session", "room=turns", "--listen", "127.0.0.1:0",
                "--trust-loopback",
            ], in: URL(fileURLWithPath: folder.path))
        let said = try #require(daemon.readLine())
        let address = String(try #require(said.split(separator: " ").last))
        for _ in 0..<3 { _ = daemon.readLine() }
        let before = everything.keys.sorted()
        let answers = "running: process \(daemon.processID) answers at \(folder.socket); stop it first\n"
        // A check waits 2 s for the daemon's reply, and a busy machine may need longer.
        let beside = try again(while: { !$0.output.contains(answers) }) {
            try check(["--listen", address, "--trust-loopback", "--session", "room=turns"])
        }
        #expect(beside.status == 0, "\(beside.errors)")
        #expect(beside.output.contains(answers))
        #expect(beside.output.hasSuffix("all is well\n"))
        #expect(everything.keys.sorted() == before)
        let elsewhere = try Program(
            gamed,
            [
                "--check", "--socket", folder.path + "/other.sock", "--data", folder.data, "--listen", address,
                "--trust-loopback",
            ])
        #expect(elsewhere.status == 78)
        let lines = elsewhere.errors.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.first?.contains("another daemon, process \(daemon.processID), keeps its sessions here") == true)
        #expect(lines.last?.hasPrefix("gamed: cannot listen at \(address): Address already in use; ") == true)
        try transcript("> PING\n< +PONG", to: daemon)
    }

    @Test func `A check fails if a daemon that does not reply listens at its socket`() throws {
        let daemon = try RunningDaemon(["--socket", folder.socket])
        _ = daemon.readLine()
        daemon.signal(SIGSTOP)
        defer { daemon.signal(SIGCONT) }
        let result = try check([])
        #expect(result.status == 73)
        #expect(result.errors.contains("another daemon listens at \(folder.socket) already"))
    }

    @Test func `A check reports every mistake on its own line`() throws {
        let devices = try write(
            """
            {"devices": [{"name": "button", "address": "C0:FF:EE:00:00:01", "events": [
              {"on": "connect", "session": "room", "event": "pas"},
              {"on": "disconnect", "session": "room", "event": "pass"},
              {"on": "disconnect", "session": "later", "event": "nonsense"}]}]}
            """, to: "devices.json")
        let capture = try write("This is no capture, whatever it is called.", to: "capture.btsnoop")
        let result = try check(
            [
                "--session", "room=turns", "--session", "hall=chess", "--bluetooth", devices, "--bluetooth-replay", capture,
                "--bluetooth-record", devices,
            ], data: "/nowhere/at/all")
        #expect(result.status == 78)
        let lines = result.errors.split(separator: "\n").map { String($0) }
        try #require(lines.count == 6, "\(result.errors)")
        #expect(lines[0].contains("cannot create the data directory /nowhere/at/all"))
        #expect(lines[1].contains("no flow 'chess'"))
        #expect(
            lines[2]
                == "gamed: \(devices): device 'button': it sends 'pas' to the session 'room', whose flow 'turns' does not have that event; did you mean 'pass'?"
        )
        #expect(
            lines[3]
                == "gamed: \(devices): device 'button': it sends 'nonsense' to the session 'later', and no flow has that event")
        #expect(lines[4].hasPrefix("gamed: \(capture) cannot be replayed: "))
        #expect(lines[5] == "gamed: cannot record to \(devices): it holds something other than a btsnoop capture")
        #expect(result.output == "")
    }
}

@Suite(.serialized) struct `A check of a start` {
    private func check(_ words: [String], environment: [String: String] = [:]) throws -> (
        output: String, errors: String, status: Int32
    ) {
        let folder = RunningDaemon.newFolder()
        let socket = words.contains("--socket") ? [] : ["--socket", folder.appending(path: "gamed.sock").path]
        let daemon = try RunningDaemon(["--check"] + socket + words, in: folder, environment: environment)
        var output = ""
        while let line = daemon.readLine() { output += line + "\n" }
        let end = daemon.waitForEnd()
        #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "gamed.sock").path))
        return (output, end.errors, end.status)
    }

    @Test func `A check prints what a start would do, without creating the socket`() throws {
        let result = try check(["--session", "main=game", "--listen", "127.0.0.1:0", "--trust-loopback"])
        #expect(result.status == 0)
        #expect(result.output.contains("sessions: main (game)"))
        #expect(result.output.contains("turns (2 states)"))
        #expect(result.output.hasSuffix("all is well\n"))
    }

    @Test func `A check reports the error and exit status of a start that would fail`() throws {
        #expect(try check(["--session", "main=chess"]).status == 64)
        #expect(try check(["--listen", "0.0.0.0:0"]).status == 64)
        #expect(try check(["--token-file", "/nowhere/token"]).status == 78)
        #expect(try check([], environment: ["GAMED_TOKEN": "short"]).status == 78)
        #expect(try check(["--listen", "127.0.0.1:0"], environment: ["GAMED_TOKEN": "short"]).status == 78)
        let nowhere = try check(["--socket", "/nowhere/at/all/gamed.sock"])
        #expect(nowhere.status == 73)
        #expect(nowhere.errors == "gamed: cannot create the directory /nowhere/at/all: No such file or directory\n")
    }
}
