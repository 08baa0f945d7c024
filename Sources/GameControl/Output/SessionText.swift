// Sessions and flows for people: state, timers, history, and a flow's description.

import Client
import GameFlow
import Posix
import RESP
import Texts
import Timers

extension ReplyText {
    /// Milliseconds, written as `1m30s`.
    static func duration(_ milliseconds: Int) -> String {
        Duration.milliseconds(milliseconds).written
    }

    static func duration(_ reply: Reply?) -> String {
        if case .integer(let value)? = reply { duration(value) } else { "-" }
    }

    func state(_ reply: Reply, of session: String) -> [String] {
        let data = reply["data"].flatMap { try? JSON(parsing: $0.text ?? "") }
        let paused = reply["paused"] == .boolean(true)
        var fields = [
            ("session", style(session, .name)), ("flow", field(reply, "flow")),
            ("state", style(field(reply, "state"), .strong)),
            ("for", Self.duration(reply["since_ms"])), ("version", field(reply, "version")),
            ("paused", paused ? style("yes", .stopped) : "no"), ("final", field(reply, "final")),
        ]
        if let reason = reply["stopped"]?.text { fields.append(("stopped", style(reason.printable, .bad))) }
        if case .integer(let left)? = reply["expires_ms"] {
            fields.append(
                ("expires", "in \(Self.duration(left)) (\(reply["expires"]?.text == "drop" ? "dropped" : "begun anew"))"))
        }
        if case .array(let events)? = reply["postponed"], !events.isEmpty {
            fields.append(("waiting", events.map(text).joined(separator: ", ")))
        }
        if let data, data != .object([]), data != .null {
            fields.append(("data", data.withReadableTimers.pretty(indent: Self.margin)))
        }
        return fields.map { style($0.0.padded(to: Self.margin.count - 2), .faint) + "  " + $0.1 }
    }

    private static let margin = String(repeating: " ", count: 9)

    private func field(_ reply: Reply, _ name: String) -> String { reply[name].map(text) ?? "-" }

    func timers(_ timers: [Reply]) -> [String] {
        let rows = timers.map { timer in
            [
                field(timer, "name"),
                Self.duration(timer["remaining_ms"]) + (timer["paused"] == .boolean(true) ? " (paused)" : ""),
                field(timer, "kind"), timer["period_ms"].map { $0 == .null ? "-" : Self.duration($0) } ?? "-",
                field(timer, "event"),
            ]
        }
        return table(["TIMER", "LEFT", "KIND", "PERIOD", "EVENT"], rows)
    }

    func next(_ firings: [Reply]) -> [String] {
        table(
            ["IN", "SESSION", "TIMER", "EVENT"],
            firings.map {
                [Self.duration($0["remaining_ms"]), field($0, "session"), field($0, "timer"), field($0, "event")]
            })
    }

    func history(_ entries: [Reply]) -> [String] {
        table(
            ["WHEN", "AGO", "BY", "EVENT", "WHAT CAME OF IT"],
            entries.map { entry in
                let last = Self.last(entry)
                return [
                    Self.time(last.at), Self.duration(last.ago), by(entry), event(of: entry), result(entry) + times(entry),
                ]
            })
    }

    /// When it happened last, and how long ago.
    private static func last(_ entry: Reply) -> (at: Reply?, ago: Reply?) {
        guard case .integer(let at)? = entry["at_ms"], case .integer(let last)? = entry["last_at_ms"],
            case .integer(let ago)? = entry["ago_ms"]
        else { return (entry["at_ms"], entry["ago_ms"]) }
        return (.integer(last), .integer(ago - (last - at)))
    }

    /// How often it happened, if it did more than once, and since when.
    private func times(_ entry: Reply) -> String {
        guard case .integer(let times)? = entry["times"], times > 1 else { return "" }
        return style(", \(times) times since \(Self.time(entry["at_ms"]))", .faint)
    }

    /// The kind of the entry; an accepted event, if the daemon's word is unknown here.
    private func what(_ entry: Reply) -> HistoryEntry.Kind {
        let word = entry["what"]?.text
        return HistoryEntry.Kind.allCases.first { $0.name == word } ?? (present(entry, "refused").isEmpty ? .taken : .refused)
    }

    /// With the actor, or the timer that fired. An operator's timer is not the one that did it.
    private func by(_ entry: Reply) -> String {
        let actor = present(entry, "actor", "(", ")")
        return field(entry, "source") + (actor.isEmpty && what(entry).deed == nil ? present(entry, "timer", "(", ")") : actor)
    }

    private func event(of entry: Reply) -> String {
        field(entry, "event") + (what(entry).deed == nil ? "" : present(entry, "timer")) + present(entry, "payload")
    }

    private func result(_ entry: Reply) -> String {
        let what = what(entry)
        switch what {
        case .taken, .forced: return stateChange(from: field(entry, "from"), to: field(entry, "to"))
        case .refused: return style("refused: " + field(entry, "refused"), .bad)
        case .begun: return "begun in \(field(entry, "to"))"
        case .postponed, .waiting, .ignored: return style(what.name, .stopped)
        case .paused, .resumed, .extended, .dropped: return what.name
        }
    }

    /// After a blank; empty if there is nothing.
    private func present(_ entry: Reply, _ name: String, _ before: String = "", _ after: String = "") -> String {
        entry[name].flatMap { $0 == .null ? nil : " \(before)\(text($0).clipped(to: 60))\(after)" } ?? ""
    }

    /// In what time dates are shown: what the daemon's log is told tells gamectl as well.
    private static let zone = environmentVariable("GAMED_LOG_TIME").flatMap(DateZone.init) ?? .local

    /// Milliseconds since 1970.
    private static func time(_ reply: Reply?) -> String {
        guard case .integer(let milliseconds)? = reply, let text = zone.text(Int(milliseconds / 1_000), "%F %T") else {
            return "-"
        }
        let fraction = String(milliseconds % 1_000 + 1_000).dropFirst()
        return "\(text).\(fraction)\(zone == .utc ? "Z" : "")"
    }

    /// As wide as it must be, or no wider than that.
    func table(_ head: [String], _ rows: [[String]], width: Int = .max) -> [String] {
        guard !rows.isEmpty else { return [] }
        let lines = TextColumns.lines(TextColumns.fitted([head] + rows, to: width))
        return [style(lines[0], .faint)] + lines.dropFirst()
    }

    // MARK: Flows

    func flow(_ reply: Reply) -> [String] {
        var lines = [style(field(reply, "flow"), .strong), "", style("states", .faint)]
        lines += elements(reply, "states").map { "  " + text($0) }
        lines += section("events", elements(reply, "events").map(event))
        lines += section("timers", elements(reply, "timers").map(timer))
        return lines
    }

    private func section(_ title: String, _ rows: [[String]]) -> [String] {
        rows.isEmpty ? [] : ["", style(title, .faint)] + TextColumns.lines(rows, indent: 2)
    }

    private func elements(_ reply: Reply, _ name: String) -> [Reply] {
        if case .array(let elements)? = reply[name] { elements } else { [] }
    }

    private func event(_ event: Reply) -> [String] {
        let payload = event["payload"].flatMap { $0 == .null ? nil : text($0) } ?? ""
        return [field(event, "name"), payload, "from " + sources(event["from"])]
    }

    private func timer(_ timer: Reply) -> [String] {
        [
            field(timer, "name"), length(timer), "over a restart: " + field(timer, "restart"),
        ]
    }

    private func length(_ timer: Reply) -> String {
        guard let length = timer["length_ms"], length != .null else { return "computed" }
        return (timer["kind"]?.text == "pendulum" ? "every " : "after ") + Self.duration(length)
    }
}

// MARK: - A change of state for people: of parallel states only those that have changed

/// `lamp.off -> lamp.on`, where the session went from `door.ajar,lamp.off` to `door.ajar,lamp.on`.
func stateChange(from: String, to: String) -> String {
    // A state of a Swift flow may contain commas, between parentheses.
    guard !from.contains("("), !to.contains("(") else { return "\(from) -> \(to)" }
    let (before, after) = (from.split(separator: ","), to.split(separator: ","))
    let (left, entered) = (before.filter { !after.contains($0) }, after.filter { !before.contains($0) })
    guard !left.isEmpty, !entered.isEmpty else { return "\(from) -> \(to)" }
    return "\(left.joined(separator: ",")) -> \(entered.joined(separator: ","))"
}
