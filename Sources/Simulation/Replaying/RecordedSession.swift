// A session and its history, from the daemon's replies: the input of a replay.

import GameFlow
import RESP
import Sessions

package struct RecordedSession: Sendable {
    package var flow: String
    package var state: String
    package var version: Int
    /// The state's data, if known.
    package var data: JSON?
    /// The parameters it was begun with, defaults included, if its flow has some.
    package var context: JSON?
    /// Oldest first.
    package var lines: [HistoryEntryText]

    /// From the replies to STATE and HISTORY; nil if they are malformed.
    package init?(state: Reply, history: Reply) {
        guard let flow = state["flow"]?.text, let name = state["state"]?.text, let version = state["version"]?.integer,
            case .array(let lines) = history
        else { return nil }
        self.flow = flow
        self.state = name
        self.version = version
        data = state["data"]?.text.flatMap { try? JSON(parsing: $0) }
        context = state["context"]?.text.flatMap { try? JSON(parsing: $0) }
        self.lines = lines.reversed().compactMap { HistoryEntryText($0) }
        guard self.lines.count == lines.count else { return nil }
    }

    /// Whether the lines lead up to the state: otherwise it changed between the two requests.
    package var isOfOneMoment: Bool { latest.map { $0.lastVersion == version && $0.to == state } ?? true }

    /// Whether entries between the lines are missing. A repeated entry is discarded with all of its repetitions, and some may be later than the
    /// oldest line that is left.
    var hasGaps: Bool {
        guard let first = lines.first, let last = latest else { return false }
        return lines.reduce(0) { $0 + ($1.repeats?.times ?? 1) } < last.lastSeq - first.seq + 1
    }

    /// The session that created this one, of this name; nil if a client did. If the history does not show who did, the name tells.
    func parent(of name: String) -> String? {
        guard let parent = ChildName.split(name)?.parent else { return nil }
        guard let first = lines.first, first.kind == .begun, first.eventOrCommand == "NEW" else { return parent }
        return first.actor == parent ? parent : nil
    }

    /// The line of what happened last.
    private var latest: HistoryEntryText? { lines.max { $0.lastSeq < $1.lastSeq } }

    /// Takes the last line as the end, for a session too busy to be read consistently.
    package mutating func endWithLines() {
        guard let latest else { return }
        (state, version, data) = (latest.to, latest.lastVersion, nil)
    }
}

extension HistoryEntryText {
    package enum ReplayedAs {
        /// The session began.
        case beginning
        case force
        case event
        /// A postponed event was taken back.
        case withdrawal
        /// An entry that changes no state: time that an operator stopped or added, and an event that had to wait for its hook and comes again.
        case aside
    }

    package var replayedAs: ReplayedAs {
        switch kind {
        case .begun: .beginning
        case .forced: .force
        case .taken, .postponed, .refused, .ignored: .event
        case .waiting, .paused, .resumed, .extended, .dropped: .aside
        case .withdrawn: .withdrawal
        }
    }

    /// From an entry of HISTORY's reply; nil if it is malformed.
    package init?(_ reply: Reply) {
        guard let at = reply["at_ms"]?.nanoseconds, let seq = reply["seq"]?.count, let event = reply["event"]?.text,
            let from = reply["from"]?.text, let to = reply["to"]?.text, let version = reply["version"]?.count,
            let source = EventSource.allCases.first(where: { $0.name == reply["source"]?.text }),
            let what = HistoryEntry.Kind.allCases.first(where: { $0.name == reply["what"]?.text })
        else { return nil }
        // A refused event of a client has the timer against which it lost a race.
        let hasTimer = source == .timer || what != .refused
        self.init(
            seq: seq, version: version, at: at, kind: what, source: source, event: event,
            payload: reply["payload"]?.text, timer: hasTimer ? reply["timer"]?.text : nil, from: from, to: to,
            code: reply["code"]?.text.map { ErrorCode($0) }, refused: reply["refused"]?.text, accepted: nil,
            actor: reply["actor"]?.text, definition: reply["definition"]?.text, repeats: Repeats(reply))
    }

    /// Missed swings of a pendulum; nil if none.
    var missedSwings: Int? {
        guard timer != nil, let payload, case .object(let members)? = try? JSON(parsing: payload), members.count == 1 else {
            return nil
        }
        return members[0].value.integer
    }

    /// The payload; nil if it is unknown.
    package var carried: JSON?? {
        guard let payload else { return .some(nil) }
        return (try? JSON(parsing: payload)).map { .some($0) }
    }
}

extension HistoryEntryText.Repeats {
    fileprivate init?(_ reply: Reply) {
        guard let times = reply["times"]?.count, times > 1, let at = reply["last_at_ms"]?.nanoseconds,
            let seq = reply["last_seq"]?.count, let version = reply["last_version"]?.count
        else { return nil }
        self.init(times: times, lastAt: at, lastSeq: seq, lastVersion: version)
    }
}

extension Reply {
    /// A number that a daemon counts in 32 bits.
    fileprivate var count: Int? { integer.flatMap { UInt32(exactly: $0) }.map { Int($0) } }

    /// Milliseconds as nanoseconds; nil if that overflows.
    fileprivate var nanoseconds: Int64? {
        integer.flatMap { milliseconds in
            let (nanoseconds, isBeyond) = Int64(milliseconds).multipliedReportingOverflow(by: 1_000_000)
            return isBeyond ? nil : nanoseconds
        }
    }
}

// MARK: - Repeated entries, taken apart again

extension [HistoryEntryText] {
    /// The end of the run that begins at `start`: each entry of a run first happened before the others had happened for the last time.
    func endOfRun(from start: Int) -> Int {
        var (end, lastSeq) = (start + 1, self[start].lastSeq)
        while end < count, self[end].seq < lastSeq {
            lastSeq = Swift.max(lastSeq, self[end].lastSeq)
            end += 1
        }
        return end
    }
}

/// The entries of a run, each as often as it happened, in order.
struct ReplayedEntries {
    private let lines: ArraySlice<HistoryEntryText>
    /// The number of times that each has been returned.
    private var counts: [Int]

    init(of lines: ArraySlice<HistoryEntryText>) {
        self.lines = lines
        counts = Array(repeating: 0, count: lines.count)
    }

    /// Returns an entry as it happened that time, its index, and whether it is the first time; nil after the last.
    mutating func next() -> (line: HistoryEntryText, index: Int, isFirst: Bool)? {
        var next: (line: HistoryEntryText, place: Int)?
        for (place, line) in lines.enumerated() where counts[place] < line.replayedTimes {
            let candidate = line.repetition(counts[place])
            if next.map({ (candidate.at, candidate.seq) < ($0.line.at, $0.line.seq) }) ?? true { next = (candidate, place) }
        }
        guard let next else { return nil }
        counts[next.place] += 1
        return (next.line, lines.startIndex + next.place, counts[next.place] == 1)
    }
}

extension HistoryEntryText {
    /// A refusal changes nothing, so its first time and its last are enough; but a delayed event is used up by its refusal.
    fileprivate var replayedTimes: Int {
        let times = repeats?.times ?? 1
        return kind == .refused && !isDelayedEvent ? min(2, times) : times
    }

    /// Such an event has no timer with a name.
    var isDelayedEvent: Bool { source == .timer && timer == nil }

    /// As it happened that time, counted from 0.
    fileprivate func repetition(_ number: Int) -> HistoryEntryText {
        guard let repeats, number > 0 else { return self }
        var line = self
        let last = replayedTimes - 1
        func between(_ first: Int, _ end: Int) -> Int {
            // Bounded, as the times of a damaged reply may be further apart than time is long.
            let span = Instant(nanoseconds: Int64(end)).nanoseconds(since: Instant(nanoseconds: Int64(first)))
            return first + Int((Double(span) * Double(number) / Double(last)).rounded())
        }
        line.at = number == last ? repeats.lastAt : Int64(between(Int(at), Int(repeats.lastAt)))
        line.seq = between(seq, repeats.lastSeq)
        line.version = between(version, repeats.lastVersion)
        return line
    }
}
