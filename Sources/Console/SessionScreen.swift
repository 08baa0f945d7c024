// A session as lines: its screen, its clocks, and its actions.

import GameFlow
import Texts

extension ConsoleScreen {
    /// Clocks and actions take these rows at the most, side by side if they must.
    func body(_ session: SessionPicture, rows: Int) -> [Line] {
        let view = session.view
        var lines = [
            Line("\(session.name) · \(session.flow) · \(session.state)\(view.isPaused ? " · paused" : "")", .head, .faint),
            Line(view.screen.title, .title, .strong),
        ]
        if !view.screen.text.isEmpty { lines.append(Line(view.screen.text, .text)) }
        // Clients get null for a number that is not finite.
        if let progress = view.screen.progress, progress.isFinite {
            let share = max(0, min(1, progress))
            lines.append(Line(bar(share, columns: 20) + " \(Int(share * 100)) %", .progress))
        }
        let fits = view.clocks.count + view.actions.count <= rows
        let playing = fits ? clocks(view.clocks) + (view.clocks.isEmpty ? [] : [.blank]) + actions(view) : closely(view, rows)
        return lines + [.blank] + playing + [.blank]
    }

    // MARK: A line each

    private func clocks(_ clocks: [ViewModel.Clock]) -> [Line] {
        let width = min(24, clocks.map { $0.name.displayWidth }.max() ?? 0)
        let rest = clocks.map { 7 + Self.repeats($0).displayWidth + ($0.isPaused ? 7 : 0) }.max() ?? 0
        // The bars are as long as one another, and stay so while digits come and go.
        let bars = min(40, columns - width - 4 - max(19, rest))
        return clocks.map { Line(clock($0, width, bars: bars), .clock) }
    }

    /// The remaining time is always shown; the bar and the name share the rest of the width.
    private func clock(_ clock: ViewModel.Clock, _ width: Int, bars: Int) -> String {
        let time = Self.text(clock.remaining) + (clock.isPaused ? " paused" : "")
        let name = clock.name.clipped(to: width).padded(to: width)
        if bars >= 5 {
            let share = clock.length > .zero ? max(0, min(1, clock.remaining / clock.length)) : 0
            return "  \(name) \(bar(share, columns: bars)) \(time)\(Self.repeats(clock))"
        }
        return "\(name.clipped(to: max(0, columns - time.displayWidth - 1))) \(time)"
    }

    private static func repeats(_ clock: ViewModel.Clock) -> String {
        clock.kind == .pendulum ? " of every \(text(clock.length))" : ""
    }

    private func actions(_ view: ViewModel) -> [Line] {
        guard !view.actions.isEmpty else {
            let sentence = view.isFinal ? "It is over: nothing more will come." : "Nothing to do but wait."
            return [Line(sentence, .title, .faint)]
        }
        return view.actions.enumerated().map { index, action in
            let key = Self.key(index)
            let needs = action.payload.map { "… (\(Self.needs($0)))" } ?? (key == nil ? " (\(action.name))" : "")
            return Line("  \(key ?? " ")  \(action.label)\(needs)", .action)
        }
    }

    /// Nil for those beyond the keys, which are sent by their names.
    static func key(_ index: Int) -> Character? {
        index < ConsoleDialog.choices.count ? ConsoleDialog.choices[index] : nil
    }

    // MARK: Side by side

    private func closely(_ view: ViewModel, _ rows: Int) -> [Line] {
        let clocks = view.clocks.map { "\($0.name) \(Self.text($0.remaining))\($0.isPaused ? " paused" : "")" }
        let actions = view.actions.enumerated().map { index, action in
            let key = Self.key(index).map { "\($0) " } ?? ""
            return "\(key)\(action.label)\(action.payload == nil ? "" : "…")"
        }
        guard rows > 1 else {
            let soonest = view.clocks.min { $0.remaining < $1.remaining }.map { [Self.text($0.remaining)] } ?? []
            return [Line((soonest + actions).joined(separator: " · "), .action)]
        }
        let actionRows = self.rows(of: actions)
        let most = clocks.isEmpty ? 0 : actions.isEmpty ? rows : max(1, rows - actionRows.count)
        let upper = Self.first(most, of: self.rows(of: clocks))
        return upper.map { Line($0, .clock) } + Self.first(rows - upper.count, of: actionRows).map { Line($0, .action) }
    }

    /// The first rows; the last ends with an ellipsis if there are more.
    private static func first(_ count: Int, of rows: [String]) -> [String] {
        guard rows.count > count, count > 0 else { return Array(rows.prefix(max(0, count))) }
        return rows.prefix(count - 1) + ["\(rows[count - 1]) …"]
    }

    // MARK: Pieces

    /// `9.3 s`, `1:05`, `2:00:00`, rounded up.
    static func text(_ duration: Duration) -> String {
        let milliseconds = max(0, duration.milliseconds)
        guard milliseconds >= 60_000 else {
            let tenths = (milliseconds + 99) / 100
            return "\(tenths / 10).\(tenths % 10) s"
        }
        let seconds = (milliseconds + 999) / 1_000
        let two = { (number: Int) in String(number).leftPadded(to: 2, with: "0") }
        let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60)
        return hours > 0 ? "\(hours):\(two(minutes)):\(two(seconds % 60))" : "\(minutes):\(two(seconds % 60))"
    }

    /// The share is from 0 to 1.
    private func bar(_ share: Double, columns: Int) -> String {
        let full = Int((share * Double(columns)).rounded(.up))
        return String(repeating: glyphs.full, count: full) + String(repeating: glyphs.empty, count: columns - full)
    }

    /// The payload that an action needs.
    static func needs(_ payload: PayloadKind) -> String {
        payload.hint.map { "\(payload.name): \($0)" } ?? payload.name
    }
}
