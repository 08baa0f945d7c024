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
    var others: [ReloadLine] = []
    private var lines: [ReloadLine] = []
    private var problems: [String] = []
    private var refusals: [[String]] = []
    /// About parts that sessions lose.
    private var lossWarnings: [String] = []
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

    mutating func add(_ read: ReloadedFiles, _ summaries: [FlowChangeSummary]) {
        (problems, refusals) = (read.problems, read.refusals)
        lossWarnings = summaries.flatMap { $0.lost.warnings(isPlanned: isDry) }
        let unchanged = read.unchanged.map { FlowChangeSummary(flow: $0, change: .unchanged) }
        lines = (summaries + unchanged).map { ReloadLine(.flow($0), $0.sentence(isDry: isDry)) }
        let changes = lines.prefix(summaries.count).map(\.text)
        lines += others + (read.warnings.map(\.line) + lossWarnings).map { ReloadLine(.warning, $0) }
        // The reply has the first problem only, and sends people here for the others.
        for problem in problems { log.error("\(name): \(problem)") }
        for line in refusals.joined() { log.error(line) }
        if !isDry { logChanges(changes, read) }
    }

    private func logChanges(_ changes: [String], _ read: ReloadedFiles) {
        for warning in read.warnings.map(\.logLine) + lossWarnings { log.warning("\(name): \(warning)") }
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
    func reply(isFull: Bool) -> Result<ReloadReply, CommandError> {
        guard let first = problems.first ?? refusals.first?.first else {
            return .success(ReloadReply(lines: lines, isFull: isFull))
        }
        let count = problems.count + refusals.count
        let more = count == 1 ? "" : "; the log has \(count - 1) more"
        return .failure(
            CommandError(problems.isEmpty ? .badConfiguration : .badFlow, "\(first)\(more); nothing has changed"))
    }
}

/// A line of the reply, and the facts that it states.
package struct ReloadLine: MapValue {
    package enum Fact {
        case flow(FlowChangeSummary)
        /// A file that is not a flow's. One with an error is not applied: the old contents stay in force.
        case file(isKept: Bool)
        /// A change that needs a restart has no effect before.
        case setting(needsRestart: Bool)
        case warning
    }

    let fact: Fact
    let text: String

    package init(_ fact: Fact, _ text: String) { (self.fact, self.text) = (fact, text) }

    package func write(to map: inout MapWriter) {
        switch fact {
        case .flow(let flow):
            map.field("about", "flow")
            map.field("flow", flow.flow)
            map.field("change", flow.change.rawValue)
            map.field("continued", flow.movedCount)
            map.field("ended", flow.endedCount)
            map.field("restored", flow.reinstatedCount)
            map.field("set_aside", flow.setAsideCount)
            map.field("timers_ended", flow.lost.count(of: .timer))
            map.field("variables_lost", flow.lost.count(of: .variable))
            map.field("children_dropped", flow.lost.count(of: .child))
        case .file(let isKept):
            map.field("about", "file")
            map.field("kept", isKept)
        case .setting(let needsRestart):
            map.field("about", "setting")
            map.field("needs_restart", needsRestart)
        case .warning: map.field("about", "warning")
        }
        map.field("text", text)
    }
}

package struct ReloadReply: ReplyValue {
    let lines: [ReloadLine]
    /// Whether each line has its facts.
    let isFull: Bool

    package func write(to reply: ReplyBuffer) {
        if isFull { lines.write(to: reply) } else { lines.map(\.text).write(to: reply) }
    }
}

extension FlowChangeSummary {
    /// `quiz: changed, 12 sessions continue, 1 is over, since the state 'shown' is final in the new file, 1 is set aside: …`;
    /// of a change not made `quiz: would change, 12 sessions would continue, …`
    fileprivate func sentence(isDry: Bool) -> String {
        let (made, planned): (String, String) =
            switch change {
            case .new: ("new", "would be new")
            case .changed: ("changed", "would change")
            case .gone: ("gone", "would go")
            case .unchanged: ("unchanged", "unchanged")
            }
        let are = { (count: Int) in isDry ? "would be" : count == 1 ? "is" : "are" }
        var parts = [isDry ? planned : made]
        if movedCount > 0 {
            let going = isDry ? "would continue" : movedCount == 1 ? "continues" : "continue"
            parts.append("\("session".counted(movedCount)) \(going)")
        }
        let others = [
            (endedCount, "over, since the state '\((finalState ?? "").shortened)' is final in the new file"),
            (reinstatedCount, "restored"), (setAsideCount, "set aside: \(problem ?? "")"),
        ]
        for (count, outcome) in others where count > 0 {
            // Only the first part names the sessions.
            let counted = parts.count > 1 ? "\(count)" : "session".counted(count)
            parts.append("\(counted) \(are(count)) \(outcome)")
        }
        return "\(flow): \(parts.joined(separator: ", "))"
    }
}
