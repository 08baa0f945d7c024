// The report of a replay, for people and as JSON.

import GameFlow
import Terminal
import Texts

struct ReplayText {
    let style: Style

    func lines(
        _ report: ReplayReport, of session: String, _ recorded: RecordedSession, isVerbose: Bool
    ) -> [String] {
        // First, as it may be why the rest differs.
        var lines = report.change.map { ["\(session): \($0.sentence)".printable] } ?? []
        if isVerbose { lines += report.steps.map(step) }
        if !report.isComplete, report.verdict.wasBegun {
            let skipped = report.skipped == 0 ? "" : ", behind the first \("event".counted(report.skipped))"
            lines.append(
                "\(session.printable): earlier events are no longer kept; the replay begins in '\(report.beginning)'\(skipped)"
                    .printable)
        }
        let (text, look): (String, TextAttribute) =
            switch report.verdict {
            case .agrees: (Self.agreement(report, recorded), .good)
            case .differs(let number, let what): ("differs at \(Self.event(number, recorded)): \(what)", .bad)
            case .endsElsewhere(let what): ("differs in the end: \(what)", .bad)
            case .cannotGoOn(let number, let why):
                ("cannot be followed \(number > 1 ? "beyond" : "at") \(Self.event(number, recorded)): \(why)", .bad)
            }
        return lines + [style("\(session.printable):", .name) + " " + style(text.printable, look)]
    }

    private static func agreement(_ report: ReplayReport, _ recorded: RecordedSession) -> String {
        guard !recorded.lines.isEmpty else { return "nothing has happened, and it is in '\(recorded.state)' as recorded" }
        return "\("event".counted(recorded.events(behind: report.skipped))), ends in '\(recorded.state)' as recorded"
    }

    private static func event(_ number: Int, _ recorded: RecordedSession) -> String {
        guard recorded.lines.indices.contains(number - 1) else { return "the beginning" }
        return "event \(number) (\(inWords(recorded.lines[number - 1])))"
    }

    private static func inWords(_ line: HistoryEntryText) -> String {
        let payload = line.payload.map { " \($0.clipped(to: 60))" } ?? ""
        if line.source == .timer, line.kind.command == nil, let timer = line.timer {
            return "\(line.eventOrCommand)\(payload) from the timer \(timer)"
        }
        let object = line.timer.map { " of the timer \($0)" } ?? ""
        return "\(line.eventOrCommand)\(payload)\(object) from \(line.source.name)"
    }

    private func step(_ step: ReplayReport.Step) -> String {
        let line = step.line
        if line.replayedAs == .beginning { return "\(step.number)  \(Self.inWords(line)): begins in '\(line.to)'".printable }
        if line.replayedAs == .aside { return "\(step.number)  \(Self.inWords(line).printable): \(line.kind.name)" }
        let result =
            line.code.map { style("refused with \($0.text.printable)", .bad) } ?? "\(line.from) -> \(line.to)".printable
        let unchecked = step.unchecked.map { style(" (\($0))", .faint) } ?? ""
        let times = line.repeats.map { style(", \($0.times) times", .faint) } ?? ""
        return "\(step.number)  \(Self.inWords(line).printable): \(result)\(times)\(unchecked)"
    }

    static func json(_ report: ReplayReport, of session: String, _ recorded: RecordedSession) -> JSON {
        let (verdict, number, reason) = report.verdict.details
        return [
            "session": .string(session), "flow": .string(recorded.flow), "agrees": .bool(report.verdict == .agrees),
            "verdict": .string(verdict), "events": .integer(recorded.events(behind: 0)),
            "complete": .bool(report.isComplete), "skipped": .integer(report.skipped),
            "recorded": .string(recorded.state), "state": .string(report.state),
            "at": number.map { .integer($0) } ?? .null, "reason": reason.map { .string($0) } ?? .null,
            "change": report.change.map { .string($0.sentence) } ?? .null,
        ]
    }
}

extension RecordedSession {
    /// Events and forced states. Its beginning, and what changes no state, are not counted.
    fileprivate func events(behind skipped: Int) -> Int {
        lines.dropFirst(skipped).filter { $0.replayedAs == .event || $0.replayedAs == .force }
            .reduce(0) { $0 + ($1.repeats?.times ?? 1) }
    }
}

extension ReplayReport.Verdict {
    fileprivate var details: (name: String, at: Int?, reason: String?) {
        switch self {
        case .agrees: ("agrees", nil, nil)
        case .differs(let number, let reason): ("differs", number, reason)
        case .endsElsewhere(let reason): ("ends elsewhere", nil, reason)
        case .cannotGoOn(let number, let reason): ("cannot continue", number, reason)
        }
    }

    /// Whether the replay had a state to begin in.
    fileprivate var wasBegun: Bool {
        if case .cannotGoOn(1, _) = self { false } else { true }
    }
}

extension ReplayReport.ChangedDefinition {
    fileprivate var sentence: String {
        "the flow's definition has changed: recorded \(Self.words(recorded)), replayed \(Self.words(replayed))"
    }

    private static func words(_ definition: String?) -> String {
        definition.map { "under \($0)" } ?? "with a flow that is part of the program"
    }
}
