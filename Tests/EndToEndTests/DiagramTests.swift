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

    private func picture(_ wire: Wire) -> String {
        wire.send("DIAGRAM game SVG\r\n")
        let length = Int(wire.readLine().dropFirst().trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
        return wire.read(length + 2)
    }

    @Test func `A daemon answers DIAGRAM with the same picture each time`() throws {
        let first = picture(try Wire(daemon.socketPath))
        #expect(first.hasPrefix("<svg ") && first.contains("id=\"state-1\"") && first.hasSuffix("</svg>\n\r\n"))
        #expect(picture(try Wire(daemon.socketPath)) == first)
    }

    @Test func `A daemon draws for the next client after one that left before its picture was finished, and in a transaction`()
        throws
    {
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
}
