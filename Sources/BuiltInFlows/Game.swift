// A game of four episodes with five levels each: an enum and a switch that reads as its truth table.

import GameFlow

/// A game of four episodes with five levels each. Its states carry each level's best score, once there is one.
public struct Game: TypedFlow {
    /// By episode and level: `1.3`. Scores of 0 are not kept.
    public typealias BestScores = [String: Int]

    public enum State: FlowState {
        /// The first page.
        case introduction(best: BestScores?)
        /// Help is shown until its time is up.
        case help(best: BestScores?, Countdown)
        /// The player chooses one of the episodes.
        case choosingEpisode(best: BestScores?, Countdown)
        /// The player chooses one of the episode's levels.
        case choosingLevel(episode: Int, best: BestScores?, Countdown)
        /// The level is being played, against the clock.
        indirect case playingLevel(episode: Int, level: Int, best: BestScores?, play: Play)
        /// The level is over, and its score is shown.
        case finishedLevel(episode: Int, level: Int, score: Int, best: BestScores?, Countdown)

        public func carries(_ timer: StateTimer) -> Bool {
            switch self {
            case .introduction: false
            case .help(_, let own), .choosingEpisode(_, let own), .choosingLevel(_, _, let own),
                .finishedLevel(_, _, _, _, let own):
                own === timer
            case .playingLevel(_, _, _, let play): play.timeLimit === timer || play.tick === timer
            }
        }

        var best: BestScores? {
            switch self {
            case .introduction(let best), .help(let best, _), .choosingEpisode(let best, _), .choosingLevel(_, let best, _),
                .playingLevel(_, _, let best, _), .finishedLevel(_, _, _, let best, _):
                best
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
        /// Back to the first page. A level that is left has no score.
        case returnHome
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
        .plain(.dismissFinishedLevel), .plain(.returnHome), .timer(.timeIsUp), .timer(Event.tick))

    public static let help = TimerPlan.countdown("help", .seconds(60), label: "Help closes in", message: Event.timeIsUp)
    public static let choosingEpisode = TimerPlan.countdown(
        "choosingEpisode", .seconds(30), label: "Time to choose", message: Event.timeIsUp)
    public static let choosingLevel = TimerPlan.countdown(
        "choosingLevel", .seconds(30), label: "Time to choose", message: Event.timeIsUp)
    public static let timeLimit = TimerPlan.countdown(
        "timeLimit", .seconds(120), label: "Time left", message: Event.timeIsUp)
    public static let tick = TimerPlan.pendulum("tick", every: .seconds(1), label: "Next second", message: Event.tick)
    public static let finishedLevel = TimerPlan.countdown(
        "finishedLevel", .seconds(15), label: "Goes on in", message: Event.timeIsUp)
    public static let timers = [help, choosingEpisode, choosingLevel, timeLimit, tick, finishedLevel]

    public let clock: FlowClock

    public init(clock: FlowClock) {
        self.clock = clock
    }

    public func initialState() throws -> State { .introduction(best: nil) }

    public func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        switch (state, event) {
        case (.introduction(let best), .displayHelp): presentHelp(best)
        case (.introduction(let best), .startPlaying): presentEpisodeChooser(best)
        case (.help(let best, _), .dismissHelp): presentIntroduction(best)
        case (.help(let best, _), .timeIsUp): presentIntroduction(best)
        case (.choosingEpisode(let best, _), .chooseEpisode(let episode)): try presentLevelChooser(chosen: episode, best)
        case (.choosingEpisode(let best, _), .timeIsUp): presentIntroduction(best)
        case (.choosingLevel(let episode, let best, _), .chooseLevel(let level)): try play(episode, chosen: level, best)
        case (.choosingLevel(_, let best, _), .timeIsUp): presentEpisodeChooser(best)
        case (.playingLevel(let episode, let level, let best, _), .completeLevel(let score)):
            try finish(episode, level, score, best)
        case (.playingLevel(let episode, let level, let best, _), .timeIsUp): try finish(episode, level, 0, best)
        case (.playingLevel(let episode, let level, let best, let play), .tick(let missed)):
            count(1 + missed, episode, level, best, play)
        case (.finishedLevel(let episode, _, _, let best, _), .dismissFinishedLevel): presentLevelChooser(episode, best)
        case (.finishedLevel(let episode, _, _, let best, _), .timeIsUp): presentLevelChooser(episode, best)
        case (.introduction, .returnHome): throw .transitionNotFound
        case (_, .returnHome): presentIntroduction(state.best)
        default: throw .transitionNotFound
        }
    }

    private func presentIntroduction(_ best: BestScores?) -> Transition {
        { .introduction(best: best) }
    }

    private func presentHelp(_ best: BestScores?) -> Transition {
        { .help(best: best, try Countdown(Self.help, on: clock)) }
    }

    private func presentEpisodeChooser(_ best: BestScores?) -> Transition {
        { .choosingEpisode(best: best, try Countdown(Self.choosingEpisode, on: clock)) }
    }

    private func presentLevelChooser(chosen episode: Int, _ best: BestScores?) throws(FlowError) -> Transition {
        try Self.episode.check(episode)
        return presentLevelChooser(episode, best)
    }

    private func presentLevelChooser(_ episode: Int, _ best: BestScores?) -> Transition {
        { .choosingLevel(episode: episode, best: best, try Countdown(Self.choosingLevel, on: clock)) }
    }

    private func play(_ episode: Int, chosen level: Int, _ best: BestScores?) throws(FlowError) -> Transition {
        try Self.level.check(level)
        return {
            let play = Play(
                timeLimit: try Countdown(Self.timeLimit, on: clock), tick: try Pendulum(Self.tick, on: clock))
            return .playingLevel(episode: episode, level: level, best: best, play: play)
        }
    }

    private func count(_ seconds: Int, _ episode: Int, _ level: Int, _ best: BestScores?, _ play: Play) -> Transition {
        {
            var next = play
            next.seconds = min(next.seconds + min(seconds, Self.maxSeconds), Self.maxSeconds)
            return .playingLevel(episode: episode, level: level, best: best, play: next)
        }
    }

    private func finish(_ episode: Int, _ level: Int, _ score: Int, _ best: BestScores?) throws(FlowError) -> Transition {
        try Self.score.check(score)
        return {
            let best = Self.best(best, with: score, inLevel: Self.key(episode, level))
            return .finishedLevel(
                episode: episode, level: level, score: score, best: best, try Countdown(Self.finishedLevel, on: clock))
        }
    }

    // MARK: Best scores

    private static func key(_ episode: Int, _ level: Int) -> String { "\(episode).\(level)" }
    private static let keys = Set((1...4).flatMap { episode in (1...5).map { key(episode, $0) } })

    private static func best(_ best: BestScores?, with score: Int, inLevel key: String) -> BestScores? {
        guard score > best?[key] ?? 0 else { return best }
        return (best ?? [:]).merging([key: score]) { $1 }
    }

    /// A state that is forced keeps the scores, unless its data has scores.
    public func completed(_ restored: State, from current: State?) -> State {
        guard restored.best == nil, let best = current?.best else { return restored }
        return switch restored {
        case .introduction: .introduction(best: best)
        case .help(_, let timer): .help(best: best, timer)
        case .choosingEpisode(_, let timer): .choosingEpisode(best: best, timer)
        case .choosingLevel(let episode, _, let timer): .choosingLevel(episode: episode, best: best, timer)
        case .playingLevel(let episode, let level, _, let play):
            .playingLevel(episode: episode, level: level, best: best, play: play)
        case .finishedLevel(let episode, let level, let score, _, let timer):
            .finishedLevel(episode: episode, level: level, score: score, best: best, timer)
        }
    }

    /// Scores come from outside where a state is forced.
    public func check(_ state: State) throws(FlowError) {
        for (key, score) in state.best ?? [:] {
            guard Self.keys.contains(key) else {
                throw .refused("'\(key)' is no level: best scores are by episode and level, such as 1.3")
            }
            try Self.score.check(score)
        }
    }

    public func screen(for state: State) -> Screen {
        switch state {
        case .introduction: Screen(title: "Welcome", text: "Four episodes of five levels are waiting.")
        case .help: Screen(title: "Help", text: "Choose an episode and a level, and finish it before time is up.")
        case .choosingEpisode: Screen(title: "Choose an episode", text: "There are four.", progress: 0)
        case .choosingLevel(let episode, _, _):
            Screen(title: "Episode \(episode)", text: "Choose one of five levels.", progress: 0.25)
        case .playingLevel(let episode, let level, _, let play):
            Screen(title: "Episode \(episode), level \(level)", text: "\(play.seconds) seconds played.", progress: 0.5)
        case .finishedLevel(let episode, let level, let score, let best, _):
            Screen(
                title: "Episode \(episode), level \(level)", text: Self.result(score, best?[Self.key(episode, level)]),
                progress: 1)
        }
    }

    private static func result(_ score: Int, _ best: Int?) -> String {
        let finished = "Finished with a score of \(score)"
        guard let best, best > score else { return finished + "." }
        return finished + "; the best is \(best)."
    }
}
