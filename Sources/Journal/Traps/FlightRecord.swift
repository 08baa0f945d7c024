// The flight record that the previous daemon left, and its sentences.

import GameFlow
import Glibc
import Texts

package struct FlightRecord: Sendable {
    /// What the daemon was doing when a trap ended it; nil if it ended otherwise, or was handling no session.
    let mark: FlightMark?
    let signal: Int32
    /// The database that its sessions were in.
    let identity: Int64
    let names: FlightNames
}

extension FlightRecord {
    /// Why the session is quarantined.
    static func problem(_ mark: FlightMark, _ names: FlightNames, session: String, flow: String) -> String {
        "the daemon died while \(deed(mark, names, "'\(session.shortened)'", flow))"
    }

    private static func deed(_ mark: FlightMark, _ names: FlightNames, _ session: String, _ flow: String) -> String {
        switch mark.deed {
        case .event: "\(session) handled \(names.event(mark.number, ofFlow: flow).map { "'\($0)'" } ?? "an event")"
        case .timer: "\(session) handled \(timer(names.timer(mark.number, ofFlow: flow)))"
        case .work: "the work of \(session) was done"
        case .read: "it looked at \(session)"
        case .force: "\(session) was forced into another state"
        case .command: command(names.command(mark.number), session)
        case .restoring: "\(session) was being restored"
        }
    }

    private static func timer(_ timer: (name: String, event: String?)?) -> String {
        guard let timer else { return "a timer" }
        return timer.event.map { "'\($0)' of its timer '\(timer.name)'" } ?? "its timer '\(timer.name)'"
    }

    private static func command(_ command: (name: String, changes: Bool)?, _ session: String) -> String {
        guard let command else { return "a command was carried out on \(session)" }
        return command.changes ? "\(command.name) was carried out on \(session)" : "\(command.name) looked at \(session)"
    }

    /// What the daemon died of, where there is no session to quarantine.
    func problemWithoutSession(_ mark: FlightMark) -> String {
        guard mark.deed == .command, let command = names.command(mark.number) else {
            return "it died in a session that is not on disk"
        }
        return "it died while \(command.name) was carried out on a session that is not on disk"
    }

    /// The signal's name, such as `SIGILL`.
    var signalName: String {
        let names = [
            SIGILL: "SIGILL", SIGTRAP: "SIGTRAP", SIGSEGV: "SIGSEGV", SIGBUS: "SIGBUS", SIGFPE: "SIGFPE", SIGABRT: "SIGABRT",
        ]
        return names[signal] ?? "signal \(signal)"
    }
}
