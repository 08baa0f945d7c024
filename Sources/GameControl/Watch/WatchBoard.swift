// The screen of `gamectl watch`, computed from the known sessions. It does no I/O.

import GamedClient
import Terminal
import Texts

package struct WatchBoard {
    /// All names, in screen order.
    package private(set) var names: [String] = []
    /// The sessions with received views.
    private var known: [String: SessionView] = [:]
    /// The index of the first one that is shown.
    private var top = 0
    private let title: String
    private let style: Style
    /// The text for an empty list.
    private let absence: String
    private let bar: Bar
    /// False on virtual time, where nothing runs down by itself.
    package var timePasses = true
    /// Said beside the title.
    package var notice: String?
    /// Whether the shown state may be outdated.
    package var isStale = false

    package init(title: String, style: Style, isUnicode: Bool, absence: String = SessionListing.absence(isFiltered: false)) {
        self.absence = absence
        self.title = title
        self.style = style
        bar = Bar(style: style, isUnicode: isUnicode)
    }

    // MARK: Sessions

    package mutating func show(_ all: Set<String>) {
        guard all.count != names.count || !names.allSatisfy(all.contains) else { return }
        names = all.map { ($0, NaturalOrder($0)) }.sorted { $0.1 < $1.1 }.map(\.0)
        known = known.filter { all.contains($0.key) }
        scroll(by: 0)
    }

    package mutating func know(_ session: SessionView) { known[session.session] = session }

    /// Stops following its view.
    package mutating func forget(_ name: String) { known[name] = nil }

    package mutating func scroll(by count: Int) {
        top = max(0, min(top + count, names.count - 1))
    }

    /// The sessions that fit into this many lines.
    package func visible(in height: Int) -> [String] {
        var (visible, used): ([String], Int) = ([], 0)
        for name in names.dropFirst(top) {
            used += known[name]?.height ?? 1
            guard used <= height || visible.isEmpty else { break }
            visible.append(name)
        }
        return visible
    }

    /// Whether a visible timer is running.
    package func isRunning(in height: Int) -> Bool {
        timePasses && visible(in: height).contains { name in known[name]?.timers.contains { !$0.isPaused } ?? false }
    }

    // MARK: Lines

    /// The lines that are left for sessions.
    package static func bodyHeight(of height: Int) -> Int { max(1, height - 3) }

    package func lines(width: Int, height: Int, now: ContinuousClock.Instant) -> [String] {
        let shown = visible(in: Self.bodyHeight(of: height))
        let columns = WatchColumns(width: width, names: shown, sessions: shown.compactMap { known[$0] })
        let head = "\("session".counted(names.count))  \(title)"
        let body = shown.flatMap { lines(of: $0, columns, now) }.prefix(Self.bodyHeight(of: height))
        let noticeLine = style((notice ?? "").clipped(to: width), isStale ? .bad : .good)
        return [style(head.clipped(to: width), .strong), noticeLine] + body + [
            style(foot(shown.count).clipped(to: width), .faint)
        ]
    }

    private func foot(_ shown: Int) -> String {
        let (above, below) = (top, names.count - top - shown)
        switch (above, below) {
        case (0, 0): return names.isEmpty ? absence : ""
        case (_, 0): return "\(above) more above"
        case (0, _): return "\(below) more below; scroll with the arrow keys, or watch a pattern"
        default: return "\(above) more above, \(below) more below"
        }
    }

    private func lines(of name: String, _ columns: WatchColumns, _ now: ContinuousClock.Instant) -> [String] {
        guard let session = known[name] else { return [style(columns.text(name.printable, columns.name), .name)] }
        let look: TextAttribute = session.isPaused ? .stopped : session.isFinal ? .faint : .plain
        let head = [
            style(columns.text(name.printable, columns.name), .name),
            style(columns.text(session.flow.printable, columns.flow), .faint),
            style(columns.text(session.state.printable, columns.state), look),
        ].joined(separator: "  ")
        guard let first = session.timers.first else {
            return [head + "  " + style(session.isPaused ? "paused" : session.isFinal ? "final" : "", look)]
        }
        let blank = String(repeating: " ", count: columns.head)
        return [head + "  " + line(of: first, now, columns)]
            + session.timers.dropFirst().map { blank + "  " + line(of: $0, now, columns) }
    }

    private func line(of timer: SessionView.Timer, _ now: ContinuousClock.Instant, _ columns: WatchColumns) -> String {
        let left = timer.remaining(at: timePasses ? now : timer.received)
        // An extended timer has more than its length left.
        let full = max(timer.length, timer.remaining(at: timer.received))
        let mark = timer.isPaused ? style(" paused", .stopped) : ""
        return bar.drawn(left, of: full, width: columns.bar, isPaused: timer.isPaused) + " "
            + BriefDuration.text(left).leftPadded(to: WatchColumns.leftWidth) + "  "
            + columns.clippedTimer(timer.name.printable, timer.isPaused) + mark
    }
}

// MARK: - A bar that runs down

package struct Bar {
    private static let eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]

    let style: Style
    let isUnicode: Bool

    package func drawn(_ left: Duration, of length: Duration, width: Int, isPaused: Bool) -> String {
        let part = length > .zero ? min(1, max(0, left / length)) : 0
        let eighths = Int((part * Double(width) * 8).rounded(.up))
        let look: TextAttribute = isPaused ? .stopped : part < 0.2 ? .bad : .good
        guard isUnicode else {
            let full = min(width, (eighths + 7) / 8)
            return "[" + style(String(repeating: "#", count: full), look) + String(repeating: " ", count: width - full) + "]"
        }
        let full = String(repeating: "█", count: eighths / 8) + Self.eighths[eighths % 8]
        return style(full, look) + style(String(repeating: "·", count: width - full.count), .faint)
    }
}

// MARK: - The widths of the board's columns

/// Divides the width of the screen among the columns.
struct WatchColumns {
    static let leftWidth = 7
    private static let pausedWidth = " paused".count

    let name: Int
    let flow: Int
    let state: Int
    let bar: Int
    private let timer: Int

    init(width: Int, names: [String], sessions: [SessionView]) {
        let widest = { (texts: [String], limit: Int) in min(limit, max(4, texts.map { $0.printable.displayWidth }.max() ?? 0)) }
        name = widest(names, max(8, width / 5))
        flow = widest(sessions.map(\.flow), max(4, width / 8))
        state = widest(sessions.map(\.state), max(8, width / 4))
        let isPaused = sessions.contains { $0.timers.contains(where: \.isPaused) }
        timer = widest(sessions.flatMap { $0.timers.map(\.name) }, max(6, width / 6)) + (isPaused ? Self.pausedWidth : 0)
        bar = max(3, min(40, width - (name + flow + state + 6) - Self.leftWidth - 3 - timer))
    }

    /// The width before the bar.
    var head: Int { name + flow + state + 4 }

    func text(_ text: String, _ width: Int) -> String {
        text.clipped(to: width).padded(to: width)
    }

    func clippedTimer(_ name: String, _ isPaused: Bool) -> String {
        name.clipped(to: timer - (isPaused ? Self.pausedWidth : 0))
    }
}

extension SessionView {
    /// The lines that it takes.
    fileprivate var height: Int { max(1, timers.count) }
}
