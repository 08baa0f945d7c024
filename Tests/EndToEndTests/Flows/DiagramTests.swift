// DIAGRAM flow SVG over the wire.

import Foundation
import TestSupport
import Testing

@Suite struct `A daemon that draws` {
    private let daemon: RunningDaemon

    init() throws {
        daemon = try RunningDaemon()
        _ = daemon.readLine()
    }

    private func picture(_ wire: TestClient) -> String {
        wire.send("DIAGRAM game SVG\r\n")
        let length = Int(wire.readLine().dropFirst().trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
        return wire.read(length + 2)
    }

    @Test func `A daemon answers DIAGRAM with the same picture each time`() throws {
        let first = picture(try TestClient(daemon.socketPath))
        #expect(first.hasPrefix("<svg ") && first.contains("id=\"state-1\"") && first.hasSuffix("</svg>\n\r\n"))
        #expect(picture(try TestClient(daemon.socketPath)) == first)
    }

    @Test func `A daemon draws in a transaction after another client left before its picture was finished`() throws {
        do {
            let hasty = try TestClient(daemon.socketPath)
            hasty.send("DIAGRAM game SVG\r\n")
        }
        let wire = try TestClient(daemon.socketPath)
        wire.send("MULTI\r\nDIAGRAM turns SVG\r\nPING\r\nEXEC\r\n")
        #expect([wire.readLine(), wire.readLine(), wire.readLine(), wire.readLine()] == ["+OK", "+QUEUED", "+QUEUED", "*2"])
        let length = try #require(Int(wire.readLine().dropFirst()))
        #expect(wire.read(length).contains("</svg>"))
        #expect(wire.read(2) == "\r\n" && wire.readLine() == "+PONG")
    }

    @Test func `A transaction waits for four pictures, and refuses further ones`() throws {
        let wire = try TestClient(daemon.socketPath)
        wire.send("MULTI\r\n" + String(repeating: "DIAGRAM permissions SVG\r\n", count: 10) + "NEW room turns\r\nEXEC\r\n")
        #expect((0..<12).map { _ in wire.readLine() } == ["+OK"] + Array(repeating: "+QUEUED", count: 11))
        #expect(wire.readLine() == "*11")
        for _ in 0..<4 {
            let length = try #require(Int(wire.readLine().dropFirst()))
            #expect(wire.read(length).contains("</svg>") && wire.read(2) == "\r\n")
        }
        for _ in 0..<6 { #expect(wire.readLine().hasPrefix("-LIMIT the time budget of this EXEC is exhausted")) }
        #expect(wire.readLine() == "+first", "changes are made")
    }

    /// Writes a chart that a debug build draws in seconds.
    private func largeChart(in folder: Folder) throws {
        let states = (0..<150).map { state in
            let targets = (1...3).map { "e\($0): \"s\((state * 7 + $0 * 31) % 150)\"" }.joined(separator: ", ")
            return "    s\(state): { on: { \(targets) } },"
        }
        let chart = "{\n  id: \"large\",\n  states: {\n\(states.joined(separator: "\n"))\n  },\n}\n"
        try chart.write(toFile: folder.path + "/large.json5", atomically: true, encoding: .utf8)
    }

    @Test func `A daemon answers other clients while it draws a large picture`() throws {
        let folder = try Folder()
        try largeChart(in: folder)
        let daemon = try RunningDaemon.virtual(["--flows", folder.path])
        let (artist, other) = (try TestClient(daemon.socketPath), try TestClient(daemon.socketPath))
        artist.send("DIAGRAM large SVG\r\n")
        for _ in 0..<20 {
            other.send("PING\r\n")
            #expect(other.readLine() == "+PONG")
        }
        #expect(!artist.hasInput(), "the picture is too small for this test")
        let length = try #require(Int(artist.readLine().dropFirst()))
        #expect(artist.read(length).hasPrefix("<svg "))
    }
}
