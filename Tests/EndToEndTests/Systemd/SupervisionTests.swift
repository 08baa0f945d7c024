// Notifications of a service to systemd, from start to stop, received by the test's own socket.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct `Notifications to systemd` {
    private let folder = RunningDaemon.newFolder()
    private let receiver: DatagramReceiver

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        receiver = try DatagramReceiver(at: folder.appending(path: "notify").path)
    }

    private func daemon(_ words: [String] = [], environment: [String: String] = [:]) throws -> RunningDaemon {
        let settings = ["NOTIFY_SOCKET": folder.appending(path: "notify").path].merging(environment) { $1 }
        return try RunningDaemon(
            ["--socket", folder.appending(path: "gamed.sock").path] + words, in: folder, environment: settings)
    }

    private var flow: String { folder.appending(path: "door.json5").path }

    private func write(_ text: String) throws { try text.write(toFile: flow, atomically: true, encoding: .utf8) }

    @Test func `systemd is notified of readiness, of each reload and its result, and of the stop`() throws {
        try write(#"{ id: "door", initial: "closed", states: { closed: { on: { open: "opened" } }, opened: {} } }"#)
        let daemon = try daemon(["--flows", flow, "--session", "main=door"])
        let listening = "listens at \(daemon.socketPath); 1 session"
        #expect(receiver.next() == "READY=1\nSTATUS=\(listening)")
        _ = try TestClient(daemon.socketPath)

        let before = DispatchTime.now().uptimeNanoseconds / 1_000
        daemon.signal(SIGHUP)
        let reloading = try #require(receiver.next()).split(separator: "\n")
        #expect(reloading.first == "RELOADING=1")
        #expect(reloading.last == "STATUS=reloading its files")
        let moment = try #require(reloading.dropFirst().first)
        #expect(moment.hasPrefix("MONOTONIC_USEC="))
        #expect(try #require(UInt64(moment.dropFirst(15))) >= before)
        #expect(receiver.next() == "READY=1\nSTATUS=\(listening)")

        try write("{ id: 7 }")
        let wire = try TestClient(daemon.socketPath)
        wire.send("RELOAD DRY\r\nRELOAD\r\n")
        #expect(wire.readLine().hasPrefix("-BADFLOW"))
        #expect(receiver.next()?.hasPrefix("RELOADING=1\n") == true)
        #expect(receiver.next() == "READY=1\nSTATUS=\(listening); the last reload changed nothing: see the log")

        daemon.signal(SIGTERM)
        #expect(receiver.next() == "STOPPING=1\nEXTEND_TIMEOUT_USEC=32000000\nSTATUS=stopping, because of SIGTERM")
        #expect(daemon.waitForEnd().status == 0)
        #expect(receiver.rest() == [])
    }

    @Test func `systemd is notified that gamed opens a database, without its password`() throws {
        let node = try daemon(["--store", "postgres://gamed:secret@127.0.0.1:1/gamed"])
        #expect(receiver.next() == "STATUS=opening the database postgres://gamed:…@127.0.0.1:1/gamed")
        node.signal(SIGKILL)
    }

    @Test func `systemd is notified of the progress of a long recovery before gamed is ready`() throws {
        let data = folder.appending(path: "data").path
        let first = try daemon(["--data", data])
        #expect(receiver.next() == "STATUS=opening the data directory \(data)")
        _ = first.readLine()
        let wire = try TestClient(first.socketPath)
        wire.send((0..<2_100).map { "NEW room-\($0) turns\r\n" }.joined())
        #expect(wire.skipLines(2_100) == 2_100)
        first.signal(SIGTERM)
        #expect(first.waitForEnd().status == 0)
        _ = receiver.rest()

        let gate = folder.appending(path: "gate").path
        try Data().write(to: URL(fileURLWithPath: gate))
        let second = try daemon(["--data", data], environment: ["GAMED_FAILPOINT": "after-restoring-some@\(gate)"])
        #expect(receiver.next() == "STATUS=opening the data directory \(data)")
        let more = "EXTEND_TIMEOUT_USEC=30000000\nSTATUS="
        #expect(receiver.next() == more + "0 sessions are restored so far")
        // Notifications are at least 1 s apart.
        Thread.sleep(forTimeInterval: 1.1)
        #expect(receiver.rest() == [])
        try FileManager.default.removeItem(atPath: gate)
        #expect(receiver.next() == more + "500 sessions are restored so far")
        // A slow restoration reports again.
        var last = receiver.next()
        while last?.hasPrefix(more) == true { last = receiver.next() }
        #expect(last == "READY=1\nSTATUS=listens at \(second.socketPath); 2100 sessions")
    }

    @Test func `systemd is asked for more time while a stop waits for the disk`() throws {
        let gate = folder.appending(path: "gate").path
        let daemon = try daemon(
            ["--data", folder.appending(path: "data").path, "--limit", "stop-ms=5000"],
            environment: ["GAMED_FAILPOINT": "before-commit@\(gate)"])
        _ = daemon.readLine()
        try Data().write(to: URL(fileURLWithPath: gate))
        let wire = try TestClient(daemon.socketPath)
        wire.send("NEW main turns\r\n")
        #expect(wire.readLine() == "+first")
        _ = receiver.rest()
        daemon.signal(SIGTERM)
        #expect(receiver.next() == "STOPPING=1\nEXTEND_TIMEOUT_USEC=35000000\nSTATUS=stopping, because of SIGTERM")
        let more = try #require(receiver.next())
        #expect(more.hasPrefix("EXTEND_TIMEOUT_USEC=30000000\nSTATUS=stopping: "), "\(more)")
        try FileManager.default.removeItem(atPath: gate)
        #expect(daemon.waitForEnd().status == 0)
    }

    @Test func `Reload notifications that systemd does not read are bounded, and READY is sent last`() throws {
        let daemon = try daemon()
        #expect(receiver.next()?.hasPrefix("READY=1\n") == true)
        let wire = try TestClient(daemon.socketPath)
        // Linux queues at most 512 datagrams by default.
        wire.send(String(repeating: "RELOAD\r\n", count: 500))
        #expect(wire.skipLines(500) == 500)
        var heard = receiver.rest()
        #expect(
            eventually {
                Thread.sleep(forTimeInterval: 0.3)
                let more = receiver.rest()
                heard += more
                return more.isEmpty
            })
        #expect(heard.count < 800 && heard.last?.hasPrefix("READY=1\n") == true, "\(heard.count)")
    }

    @Test func `A SIGHUP during startup causes a reload once gamed is ready`() throws {
        let data = folder.appending(path: "data").path
        let gate = folder.appending(path: "gate").path
        try Data().write(to: URL(fileURLWithPath: gate))
        let daemon = try daemon(["--data", data], environment: ["GAMED_FAILPOINT": "during-creation@\(gate)"])
        #expect(receiver.next() == "STATUS=opening the data directory \(data)")
        daemon.signal(SIGHUP)
        try FileManager.default.removeItem(atPath: gate)
        var last = receiver.next()
        while let next = last, !next.hasPrefix("READY=1\n") { last = receiver.next() }
        #expect(last != nil)
        #expect(receiver.next()?.hasPrefix("RELOADING=1\n") == true)
    }

    @Test func `systemd is notified of the reason for a failed start`() throws {
        let daemon = try daemon(["--token-file", "/nowhere/token"])
        #expect(daemon.waitForEnd().status == 78)
        let status = try #require(receiver.next())
        #expect(status.hasPrefix("STATUS=") && status.contains("/nowhere/token"), "\(status)")
        #expect(receiver.rest() == [])
    }

    @Test func `systemd's status line has a mistake of a flow file, and not only the heading of all of them`() throws {
        let daemon = try daemon(["--flows", "/nowhere/flow.json5"])
        #expect(daemon.waitForEnd().status == 65)
        #expect(receiver.next()?.hasPrefix("STATUS=a flow file has an error: /nowhere/flow.json5:1:1: error: ") == true)
    }

    @Test func `The watchdog is notified twice per interval, and not while the loop hangs`() throws {
        // The time is read before the daemon starts: on a busy machine, notifications wait in the socket.
        let start = ContinuousClock.now
        let daemon = try daemon(["--time", "virtual"], environment: ["WATCHDOG_USEC": "200000"])
        #expect(receiver.next() == "WATCHDOG=1")
        #expect(receiver.next()?.hasPrefix("READY=1\n") == true)
        for _ in 0..<12 { #expect(receiver.next() == "WATCHDOG=1") }
        #expect(ContinuousClock.now - start >= .milliseconds(1_190))

        daemon.signal(SIGSTOP)
        _ = try eventually { try isStopped(daemon) }
        _ = receiver.rest()
        Thread.sleep(forTimeInterval: 0.5)
        #expect(receiver.rest() == [])
        daemon.signal(SIGCONT)
        #expect(receiver.next() == "WATCHDOG=1")
    }

    @Test func `The watchdog is not notified while a flow hangs, and the next start quarantines the session`() throws {
        let data = folder.appending(path: "data").path
        let words = ["--socket", folder.appending(path: "gamed.sock").path, "--data", data, "--durability", "always"]
        let settings = ["NOTIFY_SOCKET": folder.appending(path: "notify").path, "WATCHDOG_USEC": "100000"]
        let first = try RunningDaemon(words, in: folder, environment: settings, program: "trap-probe")
        #expect(first.readLine() != nil)
        let wire = try TestClient(first.socketPath)
        wire.send("NEW other turns\r\nNEW a trapper\r\n")
        #expect(wire.skipLines(2) == 2)
        wire.send("SEND a trap sleep\r\n")
        #expect(first.complains("this flow hangs on purpose"))
        // Notifications from before may still arrive.
        #expect(
            eventually {
                _ = receiver.rest()
                Thread.sleep(forTimeInterval: 0.3)
                return receiver.rest().isEmpty
            })
        // systemd ends a hung service with SIGABRT.
        first.signal(SIGABRT)
        #expect(first.waitForEnd().status == -SIGABRT)

        let second = try RunningDaemon(words, in: folder, environment: settings, program: "trap-probe")
        #expect(second.readLine() != nil)
        let next = try TestClient(second.socketPath)
        next.send("STATE a\r\nSTATE other\r\n")
        #expect(next.readLine().hasPrefix("-ASIDE 'a' is quarantined: the daemon died while 'a' handled 'trap'"))
        #expect(next.readLine().hasPrefix("*"))
    }

    private func isStopped(_ daemon: RunningDaemon) throws -> Bool {
        try String(contentsOfFile: "/proc/\(daemon.processID)/stat", encoding: .utf8).contains(") T ")
    }

    @Test func `A service prints no login link into its journal`() throws {
        let daemon = try daemon(environment: ["GAMED_HTTP": "127.0.0.1:0"])
        var lines: [String] = []
        while lines.last?.hasPrefix("kept:") != true, let line = daemon.readLine() { lines.append(line) }
        let page = try #require(lines.first { $0.hasPrefix("page: ") })
        #expect(page.hasSuffix("/ (gamectl --socket \(daemon.socketPath) page prints a link that logs in)"), "\(page)")
        #expect(!lines.contains { $0.contains("once=") || $0.hasPrefix("try:") })
        let link = try daemon.gamectl("page")
        #expect(link.output.contains("/login?once="), "\(link)")
    }
}
