// DIAGRAM flow SVG, with a `dot` in PATH that does what no program should.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct `A daemon that draws` {
    private let folder: Folder

    init() throws { folder = try Folder() }

    /// A daemon whose only `dot` is this script.
    private func daemon(dot script: String?) throws -> RunningDaemon {
        let bin = folder.path + "/bin"
        try FileManager.default.createDirectory(atPath: bin, withIntermediateDirectories: true)
        if let script {
            try "#!/bin/sh\n\(script)\n".write(toFile: bin + "/dot", atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: bin + "/dot")
        }
        let daemon = try RunningDaemon(environment: ["PATH": bin])
        _ = daemon.readLine()
        return daemon
    }

    private func picture(_ wire: Wire) -> String {
        wire.send("DIAGRAM game SVG\r\n")
        let length = Int(wire.readLine().dropFirst().trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
        return wire.read(length + 2)
    }

    @Test func `answers with the same picture each time, and the same as without a program to lay it out`() throws {
        let without = try daemon(dot: nil)
        let first = picture(try Wire(without.socketPath))
        #expect(first.hasPrefix("<svg ") && first.contains("id=\"state-1\"") && first.hasSuffix("</svg>\n\r\n"))
        #expect(picture(try Wire(without.socketPath)) == first)
        for script in ["exit 1", "exec /usr/bin/yes", "echo '{}'", "/bin/cat > /dev/null; kill -9 $$"] {
            let other = try daemon(dot: script)
            #expect(picture(try Wire(other.socketPath)) == first, "\(script)")
        }
    }

    @Test func `asks the program once for each definition of a flow, and tells it no name`() throws {
        let asked = folder.path + "/asked"
        let daemon = try daemon(dot: "/bin/cat >> \(asked); exit 1")
        #expect(picture(try Wire(daemon.socketPath)) == picture(try Wire(daemon.socketPath)))
        let question = try String(contentsOfFile: asked, encoding: .utf8)
        #expect(question.split(separator: "digraph").count == 1 && question.contains("n0 -> n1"))
        #expect(!question.contains("introduction") && !question.contains("startPlaying"))
    }

    @Test func `keeps nobody waiting but those who asked, kills a program that hangs, and draws without it`() throws {
        let mark = folder.path + "/child"
        let daemon = try daemon(dot: "/bin/sleep 600 & echo $! > \(mark); wait")
        let (artist, other) = (try Wire(daemon.socketPath), try Wire(daemon.socketPath))
        artist.send("DIAGRAM game SVG\r\nPING\r\n")
        let began = ContinuousClock.now
        for _ in 0..<20 {
            other.send("PING\r\n")
            #expect(other.readLine() == "+PONG")
        }
        #expect(ContinuousClock.now - began < .seconds(2))
        let length = try #require(Int(artist.readLine().dropFirst()))
        #expect(artist.read(length).hasPrefix("<svg "))
        #expect(artist.read(2) == "\r\n" && artist.readLine() == "+PONG")
        let child = try #require(Int32(try String(contentsOfFile: mark, encoding: .utf8).trimmingCharacters(in: .newlines)))
        for _ in 0..<100 where kill(child, 0) == 0 { Thread.sleep(forTimeInterval: 0.02) }
        let state = (try? String(contentsOfFile: "/proc/\(child)/stat", encoding: .utf8)) ?? "Z"
        #expect(state.contains("Z"), "what the program had started is still there: \(state)")
        // It is left alone for a while.
        other.send("DIAGRAM turns SVG\r\n")
        let again = ContinuousClock.now
        _ = other.read(10)
        #expect(ContinuousClock.now - again < .seconds(2))
    }

    @Test func `does not mind a client that is gone before its picture is there, and answers in a transaction`() throws {
        let daemon = try daemon(dot: "/bin/sleep 1; exit 1")
        do {
            let hasty = try Wire(daemon.socketPath)
            hasty.send("DIAGRAM game SVG\r\n")
        }
        let wire = try Wire(daemon.socketPath)
        wire.send("MULTI\r\nDIAGRAM turns SVG\r\nPING\r\nEXEC\r\n")
        #expect([wire.readLine(), wire.readLine(), wire.readLine(), wire.readLine()] == ["+OK", "+QUEUED", "+QUEUED", "*2"])
        let length = try #require(Int(wire.readLine().dropFirst()))
        #expect(wire.read(length).contains("</svg>"))
        #expect(wire.read(2) == "\r\n" && wire.readLine() == "+PONG")
    }

    @Test func `ends at once, and leaves no program behind that hangs`() throws {
        let mark = folder.path + "/child"
        let daemon = try daemon(dot: "echo $$ > \(mark); exec /bin/sleep 600")
        let wire = try Wire(daemon.socketPath)
        wire.send("DIAGRAM game SVG\r\n")
        for _ in 0..<200 where !FileManager.default.fileExists(atPath: mark) { Thread.sleep(forTimeInterval: 0.01) }
        daemon.signal(SIGINT)
        daemon.signal(SIGINT)
        #expect(daemon.waitForEnd().status == 0)
        let child = try #require(Int32(try String(contentsOfFile: mark, encoding: .utf8).trimmingCharacters(in: .newlines)))
        #expect(kill(child, 0) != 0)
    }
}
