// The expectations of a scenario, each one met and missed.

import Testing

@Suite struct `An expectation` {
    private static let level = """
        new room game
        force room playingLevel '{"episode":3,"level":5,"play":{"seconds":0}}'
        advance 1.5s

        """

    @Test(arguments: [
        "expect room playingLevel", "expect room playingLevel episode=3 level=5 play.seconds=1",
        "expect-data room play.seconds 1",
        "expect-data room play.seconds 1.0", "expect-data room nothing null", "expect-data room play.tick.timer tick",
        "expect-data room play.tick '{\"event\":\"tick\",\"paused\":false,\"remaining_ms\":500,\"timer\":\"tick\"}'",
        "expect-data room play.tick.remaining_ns 500000000",
        "expect-timer room timeLimit 118.5s", "expect-timer room tick 500ms", "expect-timer room help none",
        "expect-timers room tick timeLimit", "expect-events room completeLevel returnHome", "expect-paused room no",
        "expect-paused room tick no", "expect-final room no", "expect-version room 2", "EXPECT room playingLevel",
        "expect-error NOTRANSITION send room startPlaying", "expect-error NOSESSION state hall", "expect-reply 1 advance 500ms",
        "expect-reply first new table turns", "expect-reply '[\"completeLevel\",\"returnHome\"]' events room",
    ])
    func `An expectation that is met reports no mismatch`(step: String) throws {
        #expect(try mismatch(Self.level + step) == nil)
    }

    @Test(arguments: [
        ("expect room help", "help / playingLevel"),
        ("expect room playingLevel episode=4 level=5", "episode=4 / episode=3"),
        ("expect-data room play.seconds 2", "play.seconds=2 / play.seconds=1"),
        ("expect-data room play.minutes 2", "play.minutes=2 / no play.minutes"),
        ("expect-data room episode.x 2", "episode.x=2 / no episode.x"),
        ("expect-timer room tick 499.999999ms", "499.999999ms left / 500ms left"),
        ("expect-timer room help 1s", "1s left / no timer 'help', but timeLimit, tick"),
        ("expect-timer room tick none", "none / 500ms left"), ("expect-timers room tick", "tick / timeLimit tick"),
        ("expect-timers room", "none / timeLimit tick"),
        ("expect-events room completeLevel startPlaying", "completeLevel startPlaying / completeLevel returnHome"),
        ("expect-paused room yes", "paused / not paused"), ("expect-paused room tick yes", "paused / not paused"),
        ("expect-paused room help yes", "paused / no timer 'help' in 'playingLevel'"),
        ("expect-final room yes", "final / 'playingLevel'"), ("expect-version room 3", "3 / 2"),
        ("expect hall introduction", "a session 'hall' / no such session"),
        (
            "send room startPlaying",
            "no error / NOTRANSITION 'startPlaying' is not valid in 'playingLevel'; it accepts completeLevel, returnHome"
        ),
        ("expect-error BADEVENT send room completeLevel 1", "an error, BADEVENT / finishedLevel"),
        (
            "expect-error BADEVENT send room startPlaying",
            "an error, BADEVENT / NOTRANSITION 'startPlaying' is not valid in 'playingLevel'; it accepts completeLevel, returnHome"
        ),
        ("expect-reply 2 advance 500ms", "2 / 1"),
    ])
    func `An expectation that is missed reports the expected and the actual value`(step: String, words: String) throws {
        #expect(try mismatch(Self.level + step) == words)
    }

    @Test func `A session's pause applies to each of its timers, but a timer's pause not to the session`() throws {
        #expect(try mismatch(Self.level + "pause room\nexpect-paused room yes\nexpect-paused room tick yes") == nil)
        #expect(try mismatch(Self.level + "pause room tick\nexpect-paused room no\nexpect-paused room tick yes") == nil)
    }
}
