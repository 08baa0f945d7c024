// Sessions and flows for people: state, timers, history, and a flow's description.

import Client
import GameFlow
import Glibc
import Posix
import RESP
import Terminal
import Texts

extension ReplyText {
    /// Milliseconds, written as `1m30s`.
    static func duration(_ milliseconds: Int) -> String {
        Duration.milliseconds(milliseconds).written
    }

    static func duration(_ reply: Reply?) -> String { reply?.integer.map(duration) ?? "-" }

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
        if let left = reply["expires_ms"]?.integer {
            fields.append(
                ("expires", "in \(Self.duration(left)) (\(reply["expires"]?.text == "drop" ? "dropped" : "restarted"))"))
        }
        let postponed = reply.elements(of: "postponed")
        if !postponed.isEmpty {
            fields.append(("waiting", postponed.map(text).joined(separator: ", ")))
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
        guard let at = entry["at_ms"]?.integer, let last = entry["last_at_ms"]?.integer, let ago = entry["ago_ms"]?.integer
        else { return (entry["at_ms"], entry["ago_ms"]) }
        return (.integer(last), .integer(ago - (last - at)))
    }

    /// How often it happened, if it did more than once, and since when.
    private func times(_ entry: Reply) -> String {
        guard let times = entry["times"]?.integer, times > 1 else { return "" }
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
        return field(entry, "source")
            + (actor.isEmpty && entry["source"]?.text == "timer" ? present(entry, "timer", "(", ")") : actor)
    }

    private func event(of entry: Reply) -> String {
        field(entry, "event") + (what(entry).command == nil ? "" : present(entry, "timer")) + present(entry, "payload")
    }

    private func result(_ entry: Reply) -> String {
        let what = what(entry)
        switch what {
        case .taken, .forced: return stateChange(from: field(entry, "from"), to: field(entry, "to"))
        case .refused: return style("refused: " + field(entry, "refused"), .bad)
        case .begun: return "begun in \(field(entry, "to"))"
        case .postponed, .waiting, .ignored: return style(what.name, .stopped)
        case .paused, .resumed, .extended, .dropped, .withdrawn: return what.name
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
        guard let milliseconds = reply?.integer, let text = zone.text(milliseconds / 1_000, "%F %T") else {
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
        lines += reply.elements(of: "states").map { "  " + text($0) }
        lines += section("events", reply.elements(of: "events").map(event))
        lines += section("timers", reply.elements(of: "timers").map(timer))
        return lines
    }

    private func section(_ title: String, _ rows: [[String]]) -> [String] {
        rows.isEmpty ? [] : ["", style(title, .faint)] + TextColumns.lines(rows, indent: 2)
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

// MARK: - Sessions for an operator at a terminal: a line for each, as wide as the terminal.

package struct SessionListing {
    /// This many sessions are requested, and shown, at a time.
    private static let part = 500
    private static let head = ["SESSION", "FLOW", "STATE", "FOR", "NEXT"]

    let context: CommandContext

    /// The text for an empty list.
    package static func absence(isFiltered: Bool) -> String {
        isFiltered ? "no session matches" : "there are no sessions; create one with: gamectl new room game"
    }

    /// The same for a client: other sessions may exist, or it may not create any.
    static func absence(isFiltered: Bool, for daemon: DaemonClient) throws(ControlError) -> String {
        guard !isFiltered, let line = try daemon.askHere(["CLIENT", "INFO"]).text else {
            return absence(isFiltered: isFiltered)
        }
        let words = line.split(whereSeparator: \.isWhitespace)
        let field = { (name: String) in words.last { $0.hasPrefix(name) }?.dropFirst(name.count) }
        if let scope = field("sessions=") {
            return "no session exists that this client may access: \(scope)".printable
        }
        guard field("role=") ?? "master" == "master" else {
            return "there are no sessions; a client with the role master creates them"
        }
        return absence(isFiltered: false)
    }

    func write(_ names: [String]) throws(ControlError) {
        let text = ReplyText(style: context.output.style)
        var rest = names[...]
        while !rest.isEmpty {
            let part = rest.prefix(Self.part)
            rest = rest.dropFirst(part.count)
            let replies = try context.daemon.ask(all: part.flatMap { [["STATE", $0], ["TIMERS", $0]] })
            let rows = zip(part, 0...).compactMap { Self.row($0, state: replies[2 * $1], timers: replies[2 * $1 + 1]) }
            try context.output.write(
                lines: text.table(Self.head, rows, width: TerminalSize.of(descriptor: STDOUT_FILENO).columns))
        }
    }

    /// Nil if the session has gone meanwhile.
    package static func row(_ name: String, state: Reply, timers: Reply) -> [String]? {
        guard let flow = state["flow"]?.text, let stateName = state["state"]?.text else { return nil }
        let since = state["since_ms"]?.milliseconds.map(BriefDuration.text) ?? "-"
        return [name, flow, stateName, since, next(state, timers)].map(\.printable)
    }

    /// The next timer, if no event is sent before.
    private static func next(_ state: Reply, _ timers: Reply) -> String {
        if state["paused"] == .boolean(true) { return "paused" }
        if state["final"] == .boolean(true) { return "final" }
        guard case .array(let timers) = timers else { return "-" }
        let running = timers.filter { $0["paused"] != .boolean(true) }
        let first = running.compactMap { timer in timer["remaining_ms"]?.milliseconds.map { ($0, timer["name"]?.text ?? "") } }
            .min { $0.0 < $1.0 }
        return first.map { "\($0.1) in \(BriefDuration.text($0.0))" } ?? (timers.isEmpty ? "-" : "paused")
    }
}

// MARK: - Durations at a glance

package enum BriefDuration {
    /// `9.3s`, `1m30s`, `2h05m`, `3d04h`: at most two numbers, rounded up.
    package static func text(_ left: Duration) -> String {
        let (whole, rest) = left.wholeNanoseconds.quotientAndRemainder(dividingBy: 100_000_000)
        let tenths = rest > 0 ? whole + 1 : whole
        guard tenths >= 600 else { return "\(tenths / 10).\(tenths % 10)s" }
        let seconds = (tenths + 9) / 10
        if seconds < 3_600 { return "\(seconds / 60)m" + two(seconds % 60) + "s" }
        if seconds < 86_400 { return "\(seconds / 3_600)h" + two(seconds / 60 % 60) + "m" }
        return "\(seconds / 86_400)d" + two(seconds / 3_600 % 24) + "h"
    }

    private static func two(_ number: Int64) -> String { String(number).leftPadded(to: 2, with: "0") }
}

extension Reply {
    var milliseconds: Duration? { integer.map { .milliseconds($0) } }

    /// The elements of a list in a map; none without it.
    func elements(of name: String) -> [Reply] { self[name]?.elements ?? [] }
}
