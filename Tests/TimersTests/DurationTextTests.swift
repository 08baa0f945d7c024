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
