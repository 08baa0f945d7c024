// Replays a session's history through its flow, in virtual time, and compares the results.

import GameFlow
import Sessions

/// The session's clock is frozen between two lines, so that timers only fire where the history says so.
package struct HistoryReplay {
    private let recorded: RecordedSession
    private let world: ReplayWorld
    private var report = ReplayReport()
    /// Whether the replay has all data of the session. Otherwise entries that are no longer kept may explain a difference.
    private var isExact = true
    /// Whether a state may have been forced that led on by itself: the line has only the state that the flow came to.
    private var mayHaveLedOn = false

    /// Nil if the session's flow is not among these. `session` is the name that it sees.
    package static func run(
        _ recorded: RecordedSession, named session: String = "", _ flows: RehearsedFlows = .builtIn
    ) -> ReplayReport? {
        guard let flow = flows.makeIdle().first(where: { $0.name == recorded.flow }) else { return nil }
        let world = ReplayWorld(of: flow, named: session, below: recorded.parent(of: session))
        var replay = HistoryReplay(recorded: recorded, world: world)
        var report = replay.run()
        report.change = report.verdict.change(of: flow.origin?.fingerprint, recorded)
        return report
    }

    private mutating func run() -> ReplayReport {
        guard let first = begin() else { return report }
        var index = first
        while index < recorded.lines.count {
            let end = recorded.lines.endOfRun(from: index)
            guard replay(recorded.lines[index..<end]) else { break }
            index = end
        }
        report.state = world.state
        if report.verdict == .agrees { report.verdict = doubted(verdictOnTheEnd()) }
        return report
    }

    // MARK: The beginning

    /// The index of the first line to replay.
    private mutating func begin() -> Int? {
        do {
            let first = try beginning()
            report.beginning = world.state
            if !report.isComplete { report.skipped = first }
            return first
        } catch {
            report.verdict = .cannotGoOn(at: 1, "\(error)")
            report.isComplete = false
            return nil
        }
    }

    private mutating func beginning() throws -> Int {
        guard let line = recorded.lines.first else {
            guard recorded.version == 0 else { throw RestorationError("its history is no longer kept") }
            try world.begin(recorded.context)
            return 0
        }
        if line.replayedAs == .beginning {
            // An UNDROP entry of a flow from a file lacks some of the data that the session began with.
            guard line.eventOrCommand != "UNDROP" || line.definition == nil else {
                throw RestorationError("it was created after an earlier session was dropped, whose history is incomplete")
            }
            guard let data = line.carried else {
                throw RestorationError("the session's initial parameters were too long to be kept")
            }
            if let data {
                try world.begin(where: data)
            } else {
                // It began with the defaults. A flow from a file begins with those of the file that is replayed.
                try world.begin(line.definition == nil ? recorded.context : nil)
            }
            world.setTime(to: line)
            report.steps.append(.init(number: 1, line: line, unchecked: nil))
            return 1
        }
        try world.begin(recorded.context)
        if line.seq <= 2, line.version == (line.kind.isChange ? 1 : 0), line.from == world.state { return 0 }
        report.isComplete = false
        isExact = false
        return try beginInTheMiddle()
    }

    /// The history only keeps the names of states: begins in the first that can be entered without data.
    private mutating func beginInTheMiddle() throws -> Int {
        var problem: any Error = RestorationError("its start is not recorded")
        for (index, line) in recorded.lines.enumerated() {
            if line.replayedAs == .force { return index }
            do {
                try world.begin(in: line.from, recorded.context)
                isExact = world.hasOnlyTimers && !recorded.hasGaps
                return index
            } catch {
                if index == 0 { problem = error }
            }
        }
        throw RestorationError("earlier entries are no longer kept, and without them it cannot start: \(problem)")
    }

    // MARK: Line by line

    /// Lines of which some happened several times, in turns. Whether to continue.
    private mutating func replay(_ run: ArraySlice<HistoryEntryText>) -> Bool {
        var entries = ReplayedEntries(of: run)
        while let (line, index, isFirst) = entries.next() {
            guard replay(line, number: index + 1, isNew: isFirst) else { return false }
        }
        return true
    }

    /// Whether to continue.
    private mutating func replay(_ line: HistoryEntryText, number: Int, isNew: Bool) -> Bool {
        if line.replayedAs == .force, world.mayLead(onTo: line.to) { mayHaveLedOn = true }
        do throws(ReplayFault) {
            let isAnywhere = number == report.skipped + 1 && !report.isComplete
            try world.replay(line, isFirst: isNew, fromAnywhere: isAnywhere && line.replayedAs == .force)
            if isNew { report.steps.append(.init(number: number, line: line, unchecked: nil)) }
            // A forced state may carry parts of the state before it, as the game's best scores.
            if line.replayedAs == .force, world.hasOnlyTimers, !recorded.hasGaps { isExact = true }
        } catch {
            switch error {
            case .differs(let what): report.verdict = doubted(.differs(at: number, what))
            case .unknown(let why): report.verdict = .cannotGoOn(at: number, why)
            case .unchecked(let why):
                if isNew { report.steps.append(.init(number: number, line: line, unchecked: why)) }
                return true
            }
            return false
        }
        return true
    }

    // MARK: The end

    /// A difference is certain only if the replay has all data of the session, and its times as exactly as the flow uses them.
    private func doubted(_ verdict: ReplayReport.Verdict) -> ReplayReport.Verdict {
        guard let doubt else { return verdict }
        switch verdict {
        case .agrees, .cannotGoOn: return verdict
        case .differs(let number, let what): return .cannotGoOn(at: number, doubt + what)
        case .endsElsewhere(let what): return .cannotGoOn(at: recorded.lines.count, doubt + what)
        }
    }

    /// A possible reason for a difference; nil if only the flow can be the reason.
    private var doubt: String? {
        if !isExact { return "entries that are no longer kept may be the reason for a difference: " }
        if mayHaveLedOn {
            return
                "a forced state may have led on by itself, and its entry has only the state that it led to; that may be the reason for a difference: "
        }
        guard world.dependsOnTimes else { return nil }
        return "the flow uses times, which a history has in whole milliseconds; that may be the reason for a difference: "
    }

    private func verdictOnTheEnd() -> ReplayReport.Verdict {
        if let more = world.whatElseHappened {
            return .endsElsewhere("the flow continues by itself, with \(more)")
        }
        guard world.state == recorded.state else {
            return .endsElsewhere("recorded '\(recorded.state)', the flow ends in '\(world.state)'")
        }
        let (then, now) = (recorded.data?.withoutTimers.description, world.data.withoutTimers.description)
        guard report.isComplete, !world.dependsOnTimes, let then, then != now else { return .agrees }
        return .endsElsewhere("recorded '\(recorded.state)' with \(then), the flow ends there with \(now)")
    }
}

extension ReplayReport.Verdict {
    /// The latest line up to the difference that came about under another definition.
    fileprivate func change(of replayed: String?, _ recorded: RecordedSession) -> ReplayReport.ChangedDefinition? {
        let lines =
            switch self {
            case .agrees: recorded.lines[..<0]
            case .differs(let number, _), .cannotGoOn(let number, _): recorded.lines.prefix(number)
            case .endsElsewhere: recorded.lines[...]
            }
        let other = lines.last { $0.definition != replayed }
        return other.map { ReplayReport.ChangedDefinition(recorded: $0.definition, replayed: replayed) }
    }
}

// MARK: - The result of a replay

package struct ReplayReport: Sendable {
    package enum Verdict: Sendable, Equatable {
        /// Every line agrees, and so does the final state.
        case agrees
        /// The flow behaves differently at this line, counted from 1.
        case differs(at: Int, String)
        /// All lines agree, but the final state differs.
        case endsElsewhere(String)
        /// The replay cannot continue at this line, or cannot know whether it differs.
        case cannotGoOn(at: Int, String)
    }

    package struct Step: Sendable {
        package let number: Int
        package let line: HistoryEntryText
        /// Why it could not be checked, if so; later lines may still be.
        package let unchecked: String?
    }

    /// The state in which the replay began.
    package internal(set) var beginning = ""
    /// Whether the lines go back to where the session began.
    package internal(set) var isComplete = true
    /// Lines before the first that the replay could begin with.
    package internal(set) var skipped = 0
    /// The lines that agree, in order.
    package internal(set) var steps: [Step] = []
    /// The final state of the replay.
    package internal(set) var state = ""
    package internal(set) var verdict = Verdict.agrees
    /// Another definition of the flow than the replay's, under which lines came about up to where it differs: a reason why it does.
    package internal(set) var change: ChangedDefinition?

    package struct ChangedDefinition: Sendable, Equatable {
        /// Nil for a flow that is part of the program.
        package let recorded: String?
        package let replayed: String?
    }
}
