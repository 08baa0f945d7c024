// Repeated entries, taken apart again. Of each the first time and the last are known. The others are spread evenly between them, as the swings of
// a pendulum are.

import GameFlow

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
    /// A refusal changes nothing, so its first time and its last are enough.
    fileprivate var replayedTimes: Int { kind == .refused ? min(2, repeats?.times ?? 1) : repeats?.times ?? 1 }

    /// As it happened that time, counted from 0.
    fileprivate func repetition(_ number: Int) -> HistoryEntryText {
        guard let repeats, number > 0 else { return self }
        var line = self
        let last = replayedTimes - 1
        func between(_ first: Int, _ end: Int) -> Int {
            first + Int((Double(end - first) * Double(number) / Double(last)).rounded())
        }
        line.at = number == last ? repeats.lastAt : Int64(between(Int(at), Int(repeats.lastAt)))
        line.seq = between(seq, repeats.lastSeq)
        line.version = between(version, repeats.lastVersion)
        return line
    }
}
