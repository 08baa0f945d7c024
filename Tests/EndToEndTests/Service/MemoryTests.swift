// The daemon's memory: the budget for clients, and its return to the system.

import Foundation
import TestSupport
import Testing

@Suite(.serialized, .disabled(if: isSanitized, "a sanitizer's memory is counted too")) struct `The daemon's memory` {
    private func info(_ name: String, _ wire: TestClient) throws -> Int {
        wire.send("INFO\r\n")
        let length = try #require(Int(wire.readLine().dropFirst()))
        let field = try #require(wire.read(length + 2).split(separator: "\r\n").first { $0.hasPrefix(name + ":") })
        return try #require(Int(field.dropFirst(name.utf8.count + 1)))
    }

    @Test func `The daemon's memory stays within its budget if 20 clients do not read 30 MB replies`() throws {
        let daemon = try RunningDaemon.virtual(["--session", "room=turns"])
        let watcher = try TestClient(daemon.socketPath)
        let before = try daemon.status("VmRSS")
        let message = [UInt8](repeating: UInt8(ascii: "x"), count: 30_000_000)
        let request = Array("*2\r\n$4\r\nECHO\r\n$30000000\r\n".utf8) + message + Array("\r\n".utf8)
        let deaf = try (0..<20).map { _ in try TestClient(daemon.socketPath) }
        for wire in deaf {
            wire.send(request)
            watcher.send("SEND room pass\r\n")
            #expect(["+first", "+second"].contains(watcher.readLine().trimmingCharacters(in: .whitespacesAndNewlines)))
        }
        // In KiB: the budget, and the memory that one more request takes while it is read and answered.
        #expect(try daemon.status("VmHWM") - before < (128 << 10) + 100_000)
        #expect(try info("client_memory", watcher) <= 128 << 20)
        #expect(try info("cut_off_for_memory", watcher) >= 15)
        #expect(daemon.errors.contains("all clients together hold"))
        for wire in deaf { wire.disconnect() }
        // The daemon returns large buffers to the system once they are unused.
        var now = Int.max
        let isReturned = try eventually {
            now = try daemon.status("VmRSS")
            return now <= before + 10_000
        }
        #expect(isReturned, "\(now) KiB, after \(before)")
    }

    @Test func `The daemon returns memory to the system once its sessions are dropped`() throws {
        let daemon = try RunningDaemon.virtual(["--log", "debug"], unprobed: "memory is returned once the daemon is idle")
        let wire = try TestClient(daemon.socketPath)
        for round in 0..<3 {
            let names = (0..<10_000).map { "a-room-with-a-long-name-\(round)-\($0)" }
            for words in [("NEW ", " turns"), ("SEND ", " pass"), ("SEND ", " nonsense"), ("DROP ", "")] {
                let lines = names.map { words.0 + $0 + words.1 + "\r\n" }
                let sender = Thread { wire.send(lines.joined()) }
                sender.start()
                #expect(wire.skipLines(names.count) == names.count)
            }
        }
        #expect(try info("sessions", wire) == 0)
        #expect(daemon.complains("released "))
        let (used, reserved) = (try info("used_memory", wire), try info("reserved_memory", wire))
        #expect(reserved * 2 <= used * 3, "\(used) bytes are in use, and \(reserved) reserved")
    }

    @Test func `The daemon returns memory to the system after requests over HTTP alone, once they have ended`() throws {
        let tcp = try TcpDaemon(
            ["--http", "127.0.0.1:0", "--session", "room=turns", "--log", "debug"],
            unprobed: "memory is returned once the daemon is idle")
        let page = try #require(tcp.page)
        let (wire, body) = (try TestClient(port: page), #"{"event":"pass"}"#)
        let head = [
            "POST /api/sessions/room/events HTTP/1.1", "Host: 127.0.0.1:\(page)", "Authorization: Bearer \(TcpDaemon.token)",
            "Content-Type: application/json", "Content-Length: \(body.utf8.count)",
        ]
        for _ in 0..<5_100 {
            wire.send(head.joined(separator: "\r\n") + "\r\n\r\n" + body)
            try #require(wire.readLine().hasPrefix("HTTP/1.1 200 "))
            var (length, line) = (0, wire.readLine())
            while !line.isEmpty {
                if line.hasPrefix("Content-Length: ") { length = try #require(Int(line.dropFirst(16))) }
                line = wire.readLine()
            }
            _ = wire.read(length)
        }
        #expect(!tcp.daemon.errors.contains("released "), "not while they come")
        #expect(tcp.daemon.complains("released "))
    }
}
