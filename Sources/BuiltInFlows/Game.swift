// A game of four episodes with five levels each: an enum and a switch that reads as its truth table.

import GameFlow
import Timers

/// A game of four episodes with five levels each.
public struct Game: TypedFlow {
    public enum State: FlowState {
        /// The first page.
        case introduction
        /// Help is shown until its time is up.
        case help(Countdown)
        /// The player chooses one of the episodes.
        case choosingEpisode(Countdown)
        /// The player chooses one of the episode's levels.
        case choosingLevel(episode: Int, Countdown)
        /// The level is being played, against the clock.
        indirect case playingLevel(episode: Int, level: Int, play: Play)
        /// The level is over, and its score is shown.
        case finishedLevel(episode: Int, level: Int, score: Int, Countdown)

        public func carries(_ timer: StateTimer) -> Bool {
            switch self {
            case .introduction: false
            case .help(let own), .choosingEpisode(let own), .choosingLevel(_, let own), .finishedLevel(_, _, _, let own):
                own === timer
            case .playingLevel(_, _, let play): play.timeLimit === timer || play.tick === timer
            }
        }
    }

    /// A level under way. A tick passes both timers on to the state of the next second, so that it disturbs no timer.
    public struct Play: Codable {
        public let timeLimit: Countdown
        public let tick: Pendulum
        public var seconds = 0
    }

    public enum Event: Sendable, Equatable {
        case displayHelp, dismissHelp, startPlaying
        case chooseEpisode(Int)
        case chooseLevel(Int)
        case completeLevel(score: Int)
        case dismissFinishedLevel
        /// The countdown of the state has run out.
        case timeIsUp
        /// Another second has been played, plus the missed ones after a stall.
        case tick(missed: Int)
    }

    // Payloads of events, and values of states from outside: from FORCE, or from an edited backup.
    public static let episode = PayloadKind.integer("episode", in: 1...4)
    public static let level = PayloadKind.integer("level", in: 1...5)
    public static let score = PayloadKind.integer("score", in: 0...Int(Int32.max))
    public static let fields = [episode, level, score, .integer("seconds", in: 0...maxSeconds)]
    /// A level is not counted any longer than a century.
    private static let maxSeconds = 36_600 * 86_400

    public static let events = Catalogue<Event>(
        .plain(.displayHelp), .plain(.dismissHelp), .plain(.startPlaying),
        .integer(Event.chooseEpisode, episode, samples: [1]), .integer(Event.chooseLevel, level, samples: [1]),
        .integer(Event.completeLevel, score, samples: [100]),
        .plain(.dismissFinishedLevel), .timer(.timeIsUp), .timer(Event.tick))

    public static let help = TimerPlan.countdown("help", .seconds(60), message: Event.timeIsUp)
    public static let choosingEpisode = TimerPlan.countdown("choosingEpisode", .seconds(30), message: Event.timeIsUp)
    public static let choosingLevel = TimerPlan.countdown("choosingLevel", .seconds(30), message: Event.timeIsUp)
    public static let timeLimit = TimerPlan.countdown("timeLimit", .seconds(120), message: Event.timeIsUp)
    public static let tick = TimerPlan.pendulum("tick", every: .seconds(1), Event.tick)
    public static let finishedLevel = TimerPlan.countdown("finishedLevel", .seconds(15), message: Event.timeIsUp)
    public static let timers = [help, choosingEpisode, choosingLevel, timeLimit, tick, finishedLevel]

    public let clock: FlowClock

    public init(clock: FlowClock) {
        self.clock = clock
    }

    public func initialState() throws -> State { .introduction }

    public func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        switch (state, event) {
        case (.introduction, .displayHelp): presentHelp()
        case (.introduction, .startPlaying): presentEpisodeChooser()
        case (.help, .dismissHelp): presentIntroduction()
        case (.help, .timeIsUp): presentIntroduction()
        case (.choosingEpisode, .chooseEpisode(let episode)): try presentLevelChooser(chosen: episode)
        case (.choosingEpisode, .timeIsUp): presentIntroduction()
        case (.choosingLevel(let episode, _), .chooseLevel(let level)): try play(episode, chosen: level)
        case (.choosingLevel, .timeIsUp): presentEpisodeChooser()
        case (.playingLevel(let episode, let level, _), .completeLevel(let score)): try finish(episode, level, score)
        case (.playingLevel(let episode, let level, _), .timeIsUp): try finish(episode, level, 0)
        case (.playingLevel(let episode, let level, let play), .tick(let missed)): count(1 + missed, episode, level, play)
        case (.finishedLevel(let episode, _, _, _), .dismissFinishedLevel): presentLevelChooser(episode)
        case (.finishedLevel(let episode, _, _, _), .timeIsUp): presentLevelChooser(episode)
        default: throw .transitionNotFound
        }
    }

    private func presentIntroduction() -> Transition {
        { .introduction }
    }

    private func presentHelp() -> Transition {
        { .help(try Countdown(Self.help, on: clock)) }
    }

    private func presentEpisodeChooser() -> Transition {
        { .choosingEpisode(try Countdown(Self.choosingEpisode, on: clock)) }
    }

    private func presentLevelChooser(chosen episode: Int) throws(FlowError) -> Transition {
        try Self.episode.check(episode)
        return presentLevelChooser(episode)
    }

    private func presentLevelChooser(_ episode: Int) -> Transition {
        { .choosingLevel(episode: episode, try Countdown(Self.choosingLevel, on: clock)) }
    }

    private func play(_ episode: Int, chosen level: Int) throws(FlowError) -> Transition {
        try Self.level.check(level)
        return {
            let play = Play(
                timeLimit: try Countdown(Self.timeLimit, on: clock), tick: try Pendulum(Self.tick, on: clock))
            return .playingLevel(episode: episode, level: Int(level), play: play)
        }
    }

    private func count(_ seconds: Int, _ episode: Int, _ level: Int, _ play: Play) -> Transition {
        {
            var next = play
            next.seconds = min(next.seconds + min(seconds, Self.maxSeconds), Self.maxSeconds)
            return .playingLevel(episode: episode, level: level, play: next)
        }
    }

    private func finish(_ episode: Int, _ level: Int, _ score: Int) throws(FlowError) -> Transition {
        try Self.score.check(score)
        return {
            .finishedLevel(
                episode: episode, level: level, score: score, try Countdown(Self.finishedLevel, on: clock))
        }
    }

    public func screen(for state: State) -> Screen {
        switch state {
        case .introduction: Screen(title: "Welcome", text: "Four episodes of five levels are waiting.")
        case .help: Screen(title: "Help", text: "Choose an episode and a level, and finish it before time is up.")
        case .choosingEpisode: Screen(title: "Choose an episode", text: "There are four.", progress: 0)
        case .choosingLevel(let episode, _):
            Screen(title: "Episode \(episode)", text: "Choose one of five levels.", progress: 0.25)
        case .playingLevel(let episode, let level, let play):
            Screen(title: "Episode \(episode), level \(level)", text: "\(play.seconds) seconds played.", progress: 0.5)
        case .finishedLevel(let episode, let level, let score, _):
            Screen(title: "Episode \(episode), level \(level)", text: "Finished with a score of \(score).", progress: 1)
        }
    }
}
