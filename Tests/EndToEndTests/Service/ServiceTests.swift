// The service as an operator sees it: output, signals, exit statuses and files.

import Foundation
import Testing
import TestSupport

@Suite(.serialized) struct `The service` {
    @Test(arguments: [SIGINT, SIGTERM])
    func `The service prints its socket's path, and exits with status 0 on SIGINT or SIGTERM`(signal: Int32) throws {
        let daemon = try RunningDaemon()
        #expect(daemon.readLine()?.contains("listens at \(daemon.socketPath)") == true)
        let attributes = try FileManager.default.attributesOfItem(atPath: daemon.socketPath)
        #expect(attributes[.posixPermissions] as? Int == 0o660)
        daemon.signal(signal)
        let end = daemon.waitForEnd()
        #expect(end.status == 0)
        #expect(end.errors == "")
        #expect(!FileManager.default.fileExists(atPath: daemon.socketPath))
    }

    @Test func `An idle service is never woken`() throws {
        let daemon = try RunningDaemon(unprobed: "nothing may wake it")
        _ = daemon.readLine()
        // Each wake-up of an idle daemon adds a voluntary context switch.
        var before = try daemon.status("voluntary_ctxt_switches")
        var quiet = false
        for _ in 0..<10 where !quiet {
            Thread.sleep(forTimeInterval: 1)
            let after = try daemon.status("voluntary_ctxt_switches")
            quiet = after == before
            before = after
        }
        #expect(quiet, "it was woken in each of ten seconds")
    }

    @Test func `An unknown option is refused with a suggestion and status 64`() throws {
        let daemon = try RunningDaemon(["--sokcet", "/tmp/x"])
        let end = daemon.waitForEnd()
        #expect(end.status == 64)
        #expect(end.errors == "gamed: unknown option '--sokcet'; did you mean '--socket'?\n")
    }

    @Test func `A socket in use is never taken over, and a stale one is replaced`() throws {
        let first = try RunningDaemon()
        _ = first.readLine()
        let second = try RunningDaemon(["--socket", first.socketPath])
        let refused = second.waitForEnd()
        #expect(refused.status == 73)
        #expect(refused.errors.contains("another daemon listens at \(first.socketPath) already"))

        first.signal(SIGKILL)
        _ = first.waitForEnd()
        #expect(FileManager.default.fileExists(atPath: first.socketPath))
        let third = try RunningDaemon(["--socket", first.socketPath])
        #expect(third.readLine()?.contains("listens at") == true)
    }

    @Test func `A file at the socket's path that is not a socket is left unchanged`() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "gamed-\(UUID().uuidString.prefix(8)).txt").path
        try "precious".write(toFile: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let end = try RunningDaemon(["--socket", path]).waitForEnd()
        #expect(end.status == 73)
        #expect(end.errors.contains("is not a socket"))
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
    }

    @Test func `A path that is too long for a socket is refused`() throws {
        let end = try RunningDaemon(["--socket", "/tmp/" + String(repeating: "x", count: 200)]).waitForEnd()
        #expect(end.status == 73)
        #expect(end.errors.contains("the socket's path is 205 bytes long; the system takes 107 at the most"))
    }
}
