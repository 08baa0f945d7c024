// How long one client may keep all others waiting. Of the optimized program, which `make soak` builds first: that of the tests is
// many times slower. By the time that the loop's thread has the processor, so that a busy machine is no slow daemon.

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
        let times = try (0..<3).map { _ in try time(toSend: "{\"episode\":\(list)}", over: wire, daemon.processID) }
        #expect(try #require(times.min()) < Self.longest, "\(times)")
    }

    /// The time for the last byte of the request and the answer; the pieces before it are not timed.
    private func time(toSend payload: String, over wire: Wire, _ process: Int32) throws -> Duration {
        wire.send("*4\r\n$4\r\nSEND\r\n$4\r\nroom\r\n$13\r\nchooseEpisode\r\n$\(payload.utf8.count)\r\n\(payload)\r")
        try rest(process)
        let before = try busy(process)
        wire.send("\n")
        #expect(wire.readLine().hasPrefix("-BADEVENT"))
        return try busy(process) - before
    }

    /// Until it has read what was sent, and sleeps.
    private func rest(_ process: Int32) throws {
        var (last, calm) = (try busy(process), 0)
        while calm < 3 {
            usleep(2_000)
            let now = try busy(process)
            calm = now == last ? calm + 1 : 0
            last = now
        }
    }

    /// For how long the loop's thread has had the processor.
    private func busy(_ process: Int32) throws -> Duration {
        let text = try String(contentsOfFile: "/proc/\(process)/schedstat", encoding: .utf8)
        return .nanoseconds(try #require(text.split(separator: " ").first.flatMap { Int64($0) }))
    }
}
