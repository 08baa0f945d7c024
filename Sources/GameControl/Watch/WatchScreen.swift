// Watching at a terminal: asks, draws, and listens to the keys.

import Glibc
import RESP

final class WatchScreen {
    private enum Key: String, CaseIterable {
        case up = "\u{1B}[A", down = "\u{1B}[B", pageUp = "\u{1B}[5~", pageDown = "\u{1B}[6~", home = "\u{1B}[H"
        case k, j, b, space = " ", g, q
    }

    private static let frame = Duration.milliseconds(100)
    /// What is shown is asked for again after so long: a clock that is stopped is no change that anybody is told of.
    private static let freshness = Duration.seconds(1)

    private let control: Control
    private let feed: WatchFeed
    private let clock = ContinuousClock()
    private var board: WatchBoard
    /// What each flow's timers begin with.
    private var lengths: [String: [String: Duration]] = [:]

    init(_ control: Control, pattern: String) throws(ControlError) {
        self.control = control
        feed = try WatchFeed(control, pattern: pattern)
        let title =
            pattern == "*" ? "of the gamed at \(control.addressText)" : "'\(pattern)' of the gamed at \(control.addressText)"
        let isUnicode = nl_langinfo(nl_item(CODESET)).map { String(cString: $0).uppercased() == "UTF-8" } ?? false
        board = WatchBoard(title: title.printable, style: control.output.style, isUnicode: isUnicode)
        board.timePasses = try control.ask(["CLOCK"])["clock"]?.text != "virtual"
        board.show(feed.names)
    }

    /// Until a key or a signal ends it, or the daemon ends.
    func run() throws(ControlError) {
        let terminal = try Terminal(control.output)
        var lastFrame = clock.now - Self.frame
        while !terminal.isEnding {
            let size = terminal.size
            let body = WatchBoard.bodyHeight(of: size.height)
            for message in try feed.news() { board.forget(message.session) }
            // However much happens, nobody sees more than so many pictures.
            if lastFrame.duration(to: clock.now) >= Self.frame / 2 {
                board.show(feed.names)
                try refresh(body)
                lastFrame = clock.now
                try terminal.draw(board.lines(width: size.width, height: size.height, now: lastFrame))
            }
            // Also where nothing moves, a window that is made larger is to be filled soon.
            let pause = board.isRunning(in: body) ? Self.frame : Self.frame * 2
            // A window that is closed is nobody's any more.
            guard feed.wait(atMost: pause, input: terminal.input) else { return }
            if follow(terminal.typed(), body) { return }
        }
    }

    /// Reads what is shown and has changed, or was read too long ago.
    private func refresh(_ height: Int) throws(ControlError) {
        // What is read may take other lines than it was thought to: another session may come into view by it.
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
    private func follow(_ typed: String, _ height: Int) -> Bool {
        var rest = typed[...]
        while !rest.isEmpty {
            guard let key = Key.allCases.first(where: { rest.hasPrefix($0.rawValue) }) else {
                rest.removeFirst()
                continue
            }
            rest = rest.dropFirst(key.rawValue.count)
            switch key {
            case .q: return true
            case .up, .k: board.scroll(by: -1)
            case .down, .j: board.scroll(by: 1)
            case .pageUp, .b: board.scroll(by: -height)
            case .pageDown, .space: board.scroll(by: height)
            case .home, .g: board.scroll(by: -board.names.count)
            }
        }
        return false
    }
}
