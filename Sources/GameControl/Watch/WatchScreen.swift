// Watching at a terminal: reads sessions, draws them, and follows the keys.

import GameClient
import ReplyJSON
import Terminal
import Texts
import Timers

final class WatchScreen {
    private static let frame = Duration.milliseconds(100)
    /// A session is read again after this time: pausing a clock is not pushed.
    private static let freshness = Duration.seconds(1)

    private let output: Output
    private let feed: WatchFeed
    private let clock = ContinuousClock()
    private var board: WatchBoard
    /// The full lengths of each flow's timers.
    private var lengths: [String: [String: Duration]] = [:]

    init(_ context: CommandContext, pattern: String) throws(ControlError) {
        output = context.output
        feed = try WatchFeed(context.daemon, pattern: pattern)
        let title =
            (pattern == "*" ? "" : "'\(pattern)' ") + "of the daemon at \(context.daemon.address)"
        board = WatchBoard(title: title.printable, style: output.style, isUnicode: TerminalEncoding.isUTF8)
        board.timePasses = try context.daemon.ask(["CLOCK"])["clock"]?.text != "virtual"
        board.show(feed.names)
    }

    /// Until a key or a signal ends it, or the daemon ends.
    func run() throws(ControlError) {
        let terminal = try FullScreen(output)
        var lastFrame = clock.now - Self.frame
        while !terminal.isEnding {
            let size = terminal.size
            let body = WatchBoard.bodyHeight(of: size.rows)
            for message in try feed.news() { board.invalidate(message.session) }
            // The frame rate is limited, however much happens.
            if lastFrame.duration(to: clock.now) >= Self.frame / 2 {
                board.show(feed.names)
                try refresh(body)
                lastFrame = clock.now
                try terminal.draw(board.lines(width: size.columns, height: size.rows, now: lastFrame))
            }
            // A resized window is redrawn soon, also where nothing moves.
            let pause = board.isRunning(in: body) ? Self.frame : Self.frame * 2
            // The window was closed.
            guard feed.wait(atMost: pause, input: terminal.input) else { return }
            for key in terminal.typedKeys() {
                if follow(key, body) { return }
            }
        }
    }

    /// Reads the visible sessions that are stale.
    private func refresh(_ height: Int) throws(ControlError) {
        // A session that was read may take fewer lines than before, and another one comes into view.
        for _ in 0..<2 {
            let names = board.stale(in: height, since: clock.now - Self.freshness)
            guard !names.isEmpty else { return }
            let replies = try feed.ask(all: names.flatMap { [["STATE", $0], ["TIMERS", $0]] })
            for (index, name) in names.enumerated() {
                let (state, timers) = (replies[2 * index], replies[2 * index + 1])
                if let flow = state["flow"]?.text, lengths[flow] == nil { lengths[flow] = try readLengths(flow) }
                let session = WatchedSession(name, state: state, timers: timers) { lengths[$0]?[$1] }
                if let session { board.know(session, at: clock.now) }
            }
        }
    }

    private func readLengths(_ flow: String) throws(ControlError) -> [String: Duration] {
        guard case .array(let timers)? = try feed.ask(all: [["DESCRIBE", flow]])[0]["timers"] else { return [:] }
        var lengths: [String: Duration] = [:]
        for timer in timers {
            if let name = timer["name"]?.text { lengths[name] = timer["length_ms"]?.milliseconds }
        }
        return lengths
    }

    /// True if it is to end.
    private func follow(_ key: Key, _ height: Int) -> Bool {
        switch key {
        case .character("q"): return true
        case .up, .character("k"): board.scroll(by: -1)
        case .down, .character("j"): board.scroll(by: 1)
        case .pageUp, .character("b"): board.scroll(by: -height)
        case .pageDown, .character(" "): board.scroll(by: height)
        case .home, .character("g"): board.scroll(by: -board.names.count)
        case .character, .enter, .backspace, .escape, .tab, .backTab, .end, .clear, .other: break
        }
        return false
    }
}
