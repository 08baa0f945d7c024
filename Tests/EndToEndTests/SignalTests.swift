// Signals, the log, and `--check`.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct `The end` {
    @Test(arguments: [SIGTERM, SIGINT])
    func `All requests sent before the signal are answered`(signal: Int32) throws {
        let daemon = try RunningDaemon.virtual()
        let wire = try TestClient(daemon.socketPath)
        wire.send(String(repeating: "ECHO hello\r\n", count: 2_000))
        #expect(wire.read(11) == "$5\r\nhello\r\n")
        daemon.signal(signal)
        #expect(wire.readToEnd() == String(repeating: "$5\r\nhello\r\n", count: 1_999))
        #expect(daemon.waitForEnd().status == 0)
        #expect(!FileManager.default.fileExists(atPath: daemon.socketPath))
    }

    @Test func `A client that does not read cannot delay a stop beyond its time limit`() throws {
        let daemon = try RunningDaemon.virtual(["--limit", "stop-ms=400"])
        let deaf = try TestClient(daemon.socketPath)
        let sender = Thread { deaf.send(String(repeating: "DESCRIBE game\r\n", count: 10_000)) }
        sender.start()
        try transcript("> PING\n< +PONG", to: daemon)
        let start = ContinuousClock.now
        daemon.signal(SIGTERM)
        #expect(daemon.waitForEnd().status == 0)
        #expect(ContinuousClock.now - start < .seconds(8))
        #expect(!FileManager.default.fileExists(atPath: daemon.socketPath))
        deaf.disconnect()
    }

    @Test func `A second signal ends a stopping daemon at once`() throws {
        let daemon = try RunningDaemon.virtual(["--limit", "stop-ms=600000", "--log", "info"])
        let deaf = try TestClient(daemon.socketPath)
        let sender = Thread { deaf.send(String(repeating: "DESCRIBE game\r\n", count: 10_000)) }
        sender.start()
        _ = deaf.read(1)
        // Before its output is suspended, the client could be answered in full and disconnected.
        Thread.sleep(forTimeInterval: 0.5)
        daemon.signal(SIGTERM)
        #expect(daemon.complains("stopping, because of SIGTERM"))
        daemon.signal(SIGTERM)
        #expect(daemon.waitForEnd().status == 0)
        deaf.disconnect()
    }

    @Test func `A stopping daemon accepts no clients and leaves its socket path to a successor`() throws {
        let daemon = try RunningDaemon.virtual(["--limit", "stop-ms=600000", "--log", "info"])
        let deaf = try TestClient(daemon.socketPath)
        let sender = Thread { deaf.send(String(repeating: "DESCRIBE game\r\n", count: 10_000)) }
        sender.start()
        _ = deaf.read(1)
        Thread.sleep(forTimeInterval: 0.5)
        daemon.signal(SIGTERM)
        #expect(daemon.complains("stopping, because of SIGTERM"))
        #expect(!FileManager.default.fileExists(atPath: daemon.socketPath))
        // A successor may listen already; the first daemon does not remove the successor's socket.
        let next = try RunningDaemon(["--socket", daemon.socketPath], in: daemon.folder.appending(path: "next"))
        #expect(next.readLine()?.contains("listens at") == true)
        deaf.disconnect()
        #expect(daemon.waitForEnd().status == 0)
        _ = try TestClient(daemon.socketPath)
    }
}

@Suite(.serialized) struct `The log` {
    @Test func `A log line has a journal level prefix if the journal reads standard error`() throws {
        let folder = RunningDaemon.newFolder()
        let stream = try journalStream(in: folder)
        let daemon = try RunningDaemon(
            ["--socket", folder.appending(path: "s").path, "--log", "info"], in: folder, environment: stream)
        _ = daemon.readLine()
        #expect(daemon.complains("<6>started\n"))
        daemon.signal(SIGHUP)
        #expect(daemon.complains("<5>SIGHUP: there is nothing to reload\n"))
        let failed = try RunningDaemon(["--nonsense"], in: folder, environment: stream)
        #expect(failed.waitForEnd().errors.hasPrefix("<3>gamed: unknown option '--nonsense'"))
    }

    @Test func `A log line has no journal level prefix if the journal reads another stream`() throws {
        let failed = try RunningDaemon(["--nonsense"], environment: ["JOURNAL_STREAM": "8:12345"])
        #expect(failed.waitForEnd().errors.hasPrefix("gamed: unknown option '--nonsense'"))
    }

    /// Returns a JOURNAL_STREAM that names the file of the daemon's standard error.
    private func journalStream(in folder: URL) throws -> [String: String] {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let path = folder.appending(path: "errors.txt").path
        try Data().write(to: URL(fileURLWithPath: path))
        var info = stat()
        #expect(stat(path, &info) == 0)
        return ["JOURNAL_STREAM": "\(info.st_dev):\(info.st_ino)"]
    }

    @Test func `Clients cannot forge log lines`() throws {
        let tcp = try TcpDaemon(["--log", "debug"])
        let wire = try tcp.connect()
        let forged = "x\r\n2026-01-01T00:00:00.000Z error: forged\n<3>forged"
        wire.send("*2\r\n$4\r\nAUTH\r\n$\(forged.utf8.count)\r\n\(forged)\r\n")
        wire.send("*3\r\n$4\r\nNEW\n\r\n$1\r\na\r\n$1\r\nb\r\n")
        _ = wire.read(20)
        wire.disconnect()
        #expect(tcp.daemon.complains(" disconnected"))
        for line in tcp.daemon.errors.split(separator: "\n") {
            #expect(try #/\d{4}-\d\d-\d\dT\S+Z (debug|info|notice|warning|error): .*/#.wholeMatch(in: line) != nil, "\(line)")
            #expect(!line.contains("error: forged") && !line.hasPrefix("<3>"))
        }
    }

    @Test func `A full log pipe does not block the daemon, which counts the lost lines`() throws {
        let (folder, pipe) = (try Folder(), Pipe())
        let daemon = try RunningProgram(
            gamedPath, ["--socket", folder.socket, "--data", "none", "--log", "debug"], errors: pipe)
        defer { daemon.killIt() }
        // The first line is printed once the daemon listens.
        #expect(daemon.readLine() != nil)
        // This logs more lines than a pipe holds.
        for _ in 0..<1_500 { _ = try TestClient(folder.socket) }
        let wire = try TestClient(folder.socket)
        wire.send("INFO server\r\nQUIT\r\n")
        let lost = try #require(wire.readToEnd().split(separator: "\r\n").first { $0.hasPrefix("log_lines_lost:") })
        #expect(try #require(Int(lost.dropFirst(15))) > 0)
        withExtendedLifetime(pipe) {}
    }
}

@Suite(.serialized) struct `A check` {
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
