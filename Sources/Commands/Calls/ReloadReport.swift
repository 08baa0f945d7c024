// The report of a RELOAD: a line each for the client, and for the log the changes and all problems with the files.

import GameFlow
import Logging
import RESP
import Sessions
import Texts

struct ReloadReport {
    private let log: Log
    /// The name of the request: RELOAD, RELOAD DRY or SIGHUP.
    private let name: String
    /// Whether it only tells what would be done, which the log need not know.
    private let isDry: Bool
    /// The outcome of other files, already in the log.
    var others: [String] = []
    private var lines: [String] = []
    private var problems: [String] = []
    private var refusals: [[String]] = []
    private var aside = 0

    /// Sessions that are set aside for one reason, and named in the log.
    private static let maxNamed = 20

    init(_ log: Log, _ name: String = "", isDry: Bool = false) {
        self.log = log
        self.name = name
        self.isDry = isDry
    }

    mutating func recordSetAside(_ session: SetAsideSession) {
        aside += 1
        if aside <= Self.maxNamed {
            log.write(.error, about: LogSubject(session: session.name.text, flow: session.flow), session.report)
        }
    }

    mutating func add(_ read: ReloadedFiles, _ fates: [FlowChangeSummary]) {
        (problems, refusals) = (read.problems, read.refusals)
        let changes = fates.map { isDry ? $0.forecast : $0.sentence }
        lines = changes + read.unchanged.map { "\($0): unchanged" } + others + read.warnings
        // The reply has the first problem only, and sends people here for the others.
        for problem in problems { log.error("\(name): \(problem)") }
        for line in refusals.joined() { log.error(line) }
        if !isDry { logChanges(changes, read) }
    }

    private func logChanges(_ changes: [String], _ read: ReloadedFiles) {
        for warning in read.warnings { log.warning("\(name): \(warning)") }
        guard read.isRight else { return log.error("\(name): nothing has changed") }
        for change in changes { log.notice("\(name): \(change)") }
        let count = read.unchanged.count
        if changes.isEmpty, count > 0 {
            log.notice("\(name): \(count == 1 ? "the flow file has" : "all \(count) flow files have") not changed")
        }
        if aside > Self.maxNamed {
            log.error("\(name): \(aside - Self.maxNamed) more sessions were set aside; SESSIONS 0 STATE ! lists them")
        }
        if lines.isEmpty { log.notice("\(name): there is nothing to reload") }
    }

    /// The lines; an error if anything is wrong.
    var result: Result<[String], CommandError> {
        guard let first = problems.first ?? refusals.first?.first else { return .success(lines) }
        let count = problems.count + refusals.count
        let more = count == 1 ? "" : "; the log has \(count - 1) more"
        return .failure(
            CommandError(problems.isEmpty ? .badConfiguration : .badFlow, "\(first)\(more); nothing has changed"))
    }
}

extension FlowChangeSummary {
    /// `quiz: changed, 12 sessions continue, 1 is set aside: it has no state 'question'`
    fileprivate var sentence: String {
        let word =
            switch change {
            case .new: "new"
            case .changed: "changed"
            case .gone: "gone"
            }
        return sentence(
            word, going: movedCount == 1 ? "continues" : "continue", back: "\(Self.are(reinstatedCount)) restored",
            aside: Self.are(setAsideCount))
    }

    /// The same for a change not made: `quiz: would change, 12 sessions would continue, …`
    fileprivate var forecast: String {
        let word =
            switch change {
            case .new: "would be new"
            case .changed: "would change"
            case .gone: "would go"
            }
        return sentence(word, going: "would continue", back: "would be restored", aside: "would be")
    }

    private func sentence(_ change: String, going: String, back: String, aside: String) -> String {
        var parts = [change]
        if movedCount > 0 { parts.append("\("session".counted(movedCount)) \(going)") }
        if reinstatedCount > 0 {
            parts.append("\(movedCount > 0 ? "\(reinstatedCount)" : "session".counted(reinstatedCount)) \(back)")
        }
        if setAsideCount > 0 {
            let counted = movedCount + reinstatedCount > 0 ? "\(setAsideCount)" : "session".counted(setAsideCount)
            parts.append("\(counted) \(aside) set aside: \(problem ?? "")")
        }
        return "\(flow): \(parts.joined(separator: ", "))"
    }

    private static func are(_ count: Int) -> String { count == 1 ? "is" : "are" }
}
