// The daemon's log on standard error: for the journal, and into a pipe that is full.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct `The log on standard error` {
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

    @Test(arguments: [(">/dev/full", "No space left on device"), (">&-", "Bad file descriptor")])
    func `A daemon whose standard output cannot be written logs that, and serves its clients`(to: String, why: String) throws {
        let folder = try Folder()
        let words = ["--socket", folder.socket, "--data", "none", "--http", "none"]
        let daemon = try RunningProgram(
            "/bin/sh", ["-c", "exec \"$0\" \"$@\" \(to)", productsDirectory.appending(path: "gamed").path] + words)
        #expect(daemon.complains("cannot write to standard output: \(why)"))
        #expect(try TestClient(folder.socket).ask("PING").text == "PONG")
        #expect(daemon.stop() == 0)
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
