// A live run of a flow, and what has happened in it.

import GameFlow
import Timers

/// One session: its name, its machine, its history.
final class Session {
    let name: String
    let machine: AnyMachine
    private(set) var history = History()

    init(name: String, machine: AnyMachine) {
        self.name = name
        self.machine = machine
    }

    func note(_ occurrence: Occurrence) {
        history.append(occurrence)
    }

    /// What a client's event came to, if it was refused: nobody else notes that.
    func noteRefusal(of event: String, _ sentence: String, from source: EventSource) {
        history.append(
            Occurrence(
                from: machine.stateName, to: machine.stateName, event: event, source: source, timer: nil, refusal: sentence,
                at: machine.timekeeper.now, version: machine.version))
    }
}

/// The last things that happened, refused events included.
struct History {
    private static let mostKept = 50
    private var entries: [Occurrence] = []
    private var oldest = 0

    mutating func append(_ entry: Occurrence) {
        if entries.count < Self.mostKept {
            entries.append(entry)
        } else {
            entries[oldest] = entry
            oldest = (oldest + 1) % Self.mostKept
        }
    }

    /// The newest first.
    func newest(_ count: Int) -> [Occurrence] {
        let inOrder = entries[oldest...] + entries[..<oldest]
        return inOrder.suffix(count).reversed()
    }

    /// The timer that brought the session where it is, if the last change was a timer's doing.
    var lastMove: (timer: String, at: Instant)? {
        guard let last = newest(Self.mostKept).first(where: { $0.refusal == nil && $0.from != $0.to }) else { return nil }
        return last.timer.map { ($0, last.at) }
    }
}
