// Session history in the log: at level debug, except for entries that an operator must know.

import GameFlow
import Logging
import Sessions
import Texts

/// Writes a line for everything that happens to a session.
final class SessionLog: SessionObserver {
    private let log: Log

    init(_ log: Log) {
        self.log = log
    }

    override func session(_ session: Session, didRecord entry: borrowing HistoryEntry) -> ObserverInterest {
        let line = Self.line(entry, session)
        let subject = Self.subject(entry, session)
        log.write(.debug, about: subject, line)
        return .stays
    }

    /// By what the journal finds a session's lines.
    static func subject(_ session: Session) -> LogSubject {
        LogSubject(session: session.name, flow: session.machine.kind.name)
    }

    private static func subject(_ entry: borrowing HistoryEntry, _ session: Session) -> LogSubject {
        var subject = subject(session)
        (subject.event, subject.code) = (entry.eventName(in: session.machine.kind), entry.refused?.code.description)
        return subject
    }

    /// Logs with a budget: a client that can provoke this for one session can do so for many.
    static func warn(_ log: Log, of session: Session, _ text: @autoclosure () -> String) {
        log.write(.warning, provokedBy: .sessionTrouble, about: subject(session), text())
    }

    /// `'room' chooseEpisode from network: taken, choosingEpisode to choosingLevel`
    private static func line(_ entry: borrowing HistoryEntry, _ session: Session) -> String {
        let (kind, what, source) = (session.machine.kind, entry.kind, entry.cause.source.name)
        let timer = kind.timerName(at: entry.cause.timer).map { ", timer \($0)" } ?? ""
        let (from, to) = (session.machine.stateName(at: entry.from), session.machine.stateName(at: entry.to))
        let name = "'\(session.name.shortened)'"
        if what == .withdrawn {
            let event = entry.eventName(in: kind) ?? "an event"
            return "\(name) \(event): withdrawn by \(session.actor(of: entry) ?? source)"
        }
        if what.deed != nil {
            return "\(name) was \(what.name) by \(session.actor(of: entry) ?? source)\(timer), and is in \(to)"
        }
        let event = "\(name) \(entry.eventName(in: kind) ?? "an event") from \(source)\(timer): \(what.name)"
        if let refused = entry.refused { return "\(event), \(refused.code) \(refused.sentence)" }
        return from == to ? "\(event) in \(from)" : "\(event), \(from) to \(to)"
    }

    /// The longest line that a session may write.
    private static let maxLength = 1_024

    /// A line that a session's flow logs. The log makes it readable.
    static func line(_ text: String, of session: Session) -> String {
        "\(session.name.shortened): \(text.cut(to: maxLength))"
    }

    static func pastIsLost(_ flow: String) -> String {
        "the flow '\(flow.shortened)' has changed more than \(FlowVersions.maxCount) times: HISTORY cannot show lines from before the oldest of these changes until the next start"
    }

    static func cannotBeginAnew(_ session: Session, _ reason: String) -> String {
        "'\(session.name.shortened)' has expired, and cannot begin anew: \(reason); it stays as it is, and is tried again"
    }

    /// The daemon has stopped a session's clock by itself.
    static func stopped(_ session: Session) -> String {
        "the clock of '\(session.name.shortened)' was stopped: its timers of no length fire in a circle; HISTORY says which, RESUME starts it again"
    }
}
