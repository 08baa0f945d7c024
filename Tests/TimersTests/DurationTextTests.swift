// Durations as people write them.

import Testing
import Timers

@Suite struct `A duration` {
    @Test(arguments: [
        ("0s", "0s"), ("90s", "1m30s"), ("29.999s", "29.999s"), ("250", "250ms"), ("0.5ms", "0.5ms"), ("1ns", "0.000001ms"),
        ("-10s", "-10s"), ("3661s", "1h1m1s"), ("49h", "2d1h"), ("60s", "1m"), ("1m0.001s", "1m0.001s"),
    ])
    func `A duration is written in its shortest form and parsed back to the same value`(text: String, written: String) throws {
        let duration = try #require(Duration(text: text))
        #expect(duration.written == written)
        #expect(Duration(text: written) == duration)
    }

    @Test func `A duration that is longer than any time is written in full, too`() {
        #expect(Duration.seconds(109_500 * 86_400 + 30).written == "109500d30s")
        #expect(Duration.seconds(-109_500 * 86_400).written == "-109500d")
        #expect(Duration.nanoseconds(Int64.max).written == "106751d23h47m16.854775807s")
        #expect(Duration(secondsComponent: 0, attosecondsComponent: 1).written == "0.000001ms", "it is rounded up")
    }

    @Test(arguments: ["36600d", "-36600d", "9223372036854775807"])
    func `A duration of a century is refused, and the error has the bound`(text: String) {
        #expect(Duration(text: text) == nil && Duration(text: "36599d23h") != nil)
        #expect(Duration.complaint(about: text) == "'\(text)' is too long; a duration is shorter than a century (36600d)")
    }

    @Test(arguments: [
        ("30sec", "30s"), ("10min", "10m"), ("30 seconds", "30s"), ("30S", "30s"), ("-2 Hours", "-2h"),
        ("1min 30secs", "1m30s"),
        ("1.5 days", "1.5d"), ("250 millis", "250ms"), ("20 msecs", "20ms"), ("1 hr 5 m", "1h5m"),
    ])
    func `A duration in other units is answered with the same one in those of gamed`(text: String, written: String) {
        #expect(Duration.complaint(about: text) == "'\(text)' is not a duration; write \(written)")
    }

    @Test(arguments: [
        "", "soon", "s", "sec", "min5", "5x", "5 weeks", "1.2.3sec", "--5sec", "5sec!", "5min 30", "99999999 days",
    ])
    func `A text that is no duration in any unit is answered with examples`(text: String) {
        let advice = "write it like 90s, 1m30s, 250ms, or a number of milliseconds"
        #expect(Duration.complaint(about: text) == "'\(text)' is not a duration; \(advice)")
    }

    @Test(
        arguments: [
            (0.00001, .nanoseconds(10)), (-0.25, .microseconds(-250)), (1e300, nil), (-1e300, nil), (.nan, nil),
        ] as [(Double, Duration?)])
    func `A number of milliseconds is a duration, unless it is longer than a century`(
        milliseconds: Double, duration: Duration?
    ) {
        #expect(Duration(milliseconds: milliseconds) == duration)
    }
}
