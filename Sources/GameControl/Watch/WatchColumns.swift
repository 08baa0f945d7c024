// The widths of the board's columns.

import Texts

/// Divides the width of the screen among the columns.
struct WatchColumns {
    static let leftWidth = 7
    private static let pausedWidth = " paused".count

    let name: Int
    let flow: Int
    let state: Int
    let bar: Int
    private let timer: Int

    init(width: Int, names: [String], sessions: [WatchedSession]) {
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
