// A session's history, run through its flow once more, in virtual time: does the same come of it?

import GameFlow
import Sessions

/// The clock of the session stands still, so that no timer fires by itself: a timer fires where the history says that it did.
package final class HistoryReplay {
    private let recorded: RecordedSession
    private let rehearsal: Rehearsal
    private var report = ReplayReport()

    /// Nil if the session's flow is none of these.
    package static func run(_ recorded: RecordedSession, _ flows: RehearsedFlows = .builtIn) -> ReplayReport? {
        guard let flow = flows.makeIdle().first(where: { $0.name == recorded.flow }) else { return nil }
        return HistoryReplay(recorded, Rehearsal(of: flow)).run()
    }

    private init(_ recorded: RecordedSession, _ rehearsal: Rehearsal) {
        self.recorded = recorded
        self.rehearsal = rehearsal
    }

    private func run() -> ReplayReport {
        guard let first = begin() else { return report }
        for index in recorded.lines.indices.dropFirst(first) {
            guard follow(recorded.lines[index], number: index + 1) else { break }
        }
        report.state = rehearsal.state
        if report.verdict == .agrees { report.verdict = verdictOnTheEnd() }
        return report
    }

    // MARK: The beginning

    /// The index of the first line to be followed.
    private func begin() -> Int? {
        do {
            let first = try beginning()
            report.beginning = rehearsal.state
            if !report.isComplete { report.skipped = first }
            return first
        } catch {
            report.verdict = .cannotGoOn(at: 1, "\(error)")
            report.isComplete = false
            return nil
        }
    }

    private func beginning() throws -> Int {
        guard let line = recorded.lines.first else {
            guard recorded.version == 0 else { throw RestoringError("nothing of its history is kept any more") }
            try rehearsal.begin(recorded.context)
            return 0
        }
        if line.kind == .beginning {
            guard let data = line.carried.flatMap(\.self) else {
                throw RestoringError("what the session was begun with was too long to be kept")
            }
            try rehearsal.begin(where: data)
            report.steps.append(.init(number: 1, line: line, unchecked: nil))
            return 1
        }
        try rehearsal.begin(recorded.context)
        if line.version == (line.isTaken ? 1 : 0), line.from == rehearsal.state { return 0 }
        report.isComplete = false
        return try beginInTheMiddle()
    }

    /// Of a state in the middle only the name is kept: the first that can be had without more is where the replay begins.
    private func beginInTheMiddle() throws -> Int {
        var problem: any Error = RestoringError("nothing is known of its beginning")
        for (index, line) in recorded.lines.enumerated() {
            if line.kind == .force { return index }
            do {
                try rehearsal.begin(in: line.from, recorded.context)
                return index
            } catch {
                if index == 0 { problem = error }
            }
        }
        throw RestoringError("earlier lines are no longer kept, and without them it cannot be begun: \(problem)")
    }

    // MARK: Line by line

    /// Whether to go on.
    private func follow(_ line: RecordedLine, number: Int) -> Bool {
        do throws(ReplayFault) {
            let isAnywhere = number == report.skipped + 1 && !report.isComplete
            try rehearsal.follow(line, fromAnywhere: isAnywhere && line.kind == .force)
            report.steps.append(.init(number: number, line: line, unchecked: nil))
        } catch {
            switch error {
            case .differs(let what): report.verdict = .differs(at: number, what)
            case .unknown(let why): report.verdict = .cannotGoOn(at: number, why)
            case .unchecked(let why):
                report.steps.append(.init(number: number, line: line, unchecked: why))
                return true
            }
            return false
        }
        return true
    }

    // MARK: The end

    private func verdictOnTheEnd() -> ReplayReport.Verdict {
        if let more = rehearsal.whatElseHappened {
            return .endsElsewhere("the flow goes on by itself, with \(more)")
        }
        guard rehearsal.state == recorded.state else {
            return .endsElsewhere("recorded '\(recorded.state)', the flow ends in '\(rehearsal.state)'")
        }
        let (then, now) = (recorded.data?.withoutTimers.description, rehearsal.data.withoutTimers.description)
        guard report.isComplete, let then, then != now else { return .agrees }
        return .endsElsewhere("recorded '\(recorded.state)' with \(then), the flow ends there with \(now)")
    }
}
