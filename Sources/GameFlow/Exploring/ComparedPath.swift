// The path to a difference, as it is told.

import Timers

struct ComparedPath {
    private enum Step {
        case move(String)
        case time(Duration)
    }

    private var steps: [Step] = []

    /// `time` is how long the move takes, if it is a matter of time alone.
    mutating func append(_ move: ComparedMove, taking time: Duration?) {
        switch move {
        case .event(let event): steps.append(.move("\(event)"))
        case .timer(let name): steps.append(.move("the timer \(name) alone"))
        case .wait, .linger: steps.append(.time(time ?? .zero))
        }
    }

    /// Times that follow each other are one.
    var words: [String] {
        var (words, time) = ([String](), Duration.zero)
        for step in steps {
            switch step {
            case .time(let more): time += more
            case .move(let move):
                if time > .zero { words.append(time.written) }
                words.append(move)
                time = .zero
            }
        }
        return time > .zero ? words + [time.written] : words
    }
}
