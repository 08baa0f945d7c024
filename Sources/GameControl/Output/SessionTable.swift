// Sessions for an operator at a terminal: a line for each, as wide as the terminal.

import Client
import Glibc
import RESP
import Terminal
import Texts
import Timers

package struct SessionTable {
    /// This many sessions are requested, and shown, at a time.
    private static let part = 500
    private static let head = ["SESSION", "FLOW", "STATE", "FOR", "NEXT"]

    private let context: CommandContext

    /// The text for an empty list.
    package static func absence(isFiltered: Bool) -> String {
        isFiltered ? "no session matches" : "there is no session; begin one with: gamectl new room game"
    }

    init(of context: CommandContext) {
        self.context = context
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

    private static func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

extension Reply {
    var milliseconds: Duration? {
        if case .integer(let value) = self { .milliseconds(value) } else { nil }
    }
}
