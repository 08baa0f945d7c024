// The feed in the log, at level debug.

import GameFlow
import Logging
import Sessions
import Texts

/// Writes a line for everything that happens to a session.
struct SessionLog {
    let log: Log

    func write(_ entry: borrowing HistoryEntry, of session: Session) {
        let line = Self.line(entry, session)
        var subject = LogSubject(of: session)
        (subject.event, subject.code) = (entry.eventName(in: session.machine.kind), entry.refused?.code.description)
        log.write(.debug, about: subject, line)
    }

    /// The drop of a session that was set aside.
    func write(_ last: DropEntry, by actor: String?) {
        let name = last.name.text
        log.write(
            .debug, about: LogSubject(session: name, flow: last.flow),
            "'\(name.shortened)' was dropped by \(actor ?? last.source.name), and is in \(last.state)")
    }

    /// `'room' chooseEpisode from network: taken, choosingEpisode to choosingLevel`
    private static func line(_ entry: borrowing HistoryEntry, _ session: Session) -> String {
        let (kind, what, source) = (session.machine.kind, entry.kind, entry.cause.source.name)
        // The sentence of a refusal names the timer against which a client lost a race.
        let index = entry.isRefused && entry.cause.source != .timer ? HistoryEntry.Cause.none : entry.cause.timer
        let timer = kind.timerName(at: index).map { ", timer \($0)" } ?? ""
        let (from, to) = (session.machine.stateName(at: entry.from), session.machine.stateName(at: entry.to))
        let name = "'\(session.name.shortened)'"
        if what == .withdrawn {
            let event = entry.eventName(in: kind) ?? "an event"
            return "\(name) \(event): withdrawn by \(session.actor(of: entry) ?? source)"
        }
        if what.command != nil {
            return "\(name) was \(what.name) by \(session.actor(of: entry) ?? source)\(timer), and is in \(to)"
        }
        let event = "\(name) \(entry.eventName(in: kind) ?? "an event") from \(source)\(timer): \(what.name)"
        if let refused = entry.refused { return "\(event), \(refused.code) \(entry.refusal(in: kind) ?? "")" }
        return from == to ? "\(event) in \(from)" : "\(event), \(from) to \(to)"
    }
}

extension LogSubject {
    /// By what the journal finds a session's lines.
    init(of session: Session) { self.init(session: session.name, flow: session.machine.kind.name) }
}
