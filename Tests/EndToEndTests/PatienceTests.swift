// How long one client may keep all others waiting. Of the optimized program, which `make test` builds first: that of the tests is
// many times slower.

import Foundation
import Testing

private let optimized = URL(fileURLWithPath: ".build/release")

@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: optimized.appending(path: "gamed").path)))
struct `A payload as long as may be` {
    /// `make bench` measures 20 ms at most; a test's machine has more to do.
    private static let longest = Duration.milliseconds(60)

    @Test(arguments: [
        "1,", "[1],", "{\"a\":1},", "\"a\",", "\"\\u00e9\",", "\"日本語\",", "0.12345678901234567,", "1.7e308,", "null,",
        "{\"a\":{\"a\":{\"a\":[[[]]]}}},", "\n                ", "\"some text that is longer than others\",",
    ])
    func `keeps nobody waiting`(piece: String) throws {
        let daemon = try RunningDaemon.virtual(["--session", "room=game"], products: optimized)
        let wire = try Wire(daemon.socketPath)
        let list = "[" + String(repeating: piece, count: ((1 << 20) - 40) / piece.utf8.count) + "1]"
        let times = (0..<3).map { _ in time(toSend: "{\"episode\":\(list)}", over: wire) }
        #expect(try #require(times.min()) < Self.longest, "\(times)")
    }

    /// From the last byte of the request to the answer: that the daemon takes the others meanwhile is not waited for by anybody.
    private func time(toSend payload: String, over wire: Wire) -> Duration {
        wire.send("*4\r\n$4\r\nSEND\r\n$4\r\nroom\r\n$13\r\nchooseEpisode\r\n$\(payload.utf8.count)\r\n\(payload)\r")
        let began = ContinuousClock.now
        wire.send("\n")
        #expect(wire.readLine().hasPrefix("-BADEVENT"))
        return ContinuousClock.now - began
    }
}
