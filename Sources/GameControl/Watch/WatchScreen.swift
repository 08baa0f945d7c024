// Watching at a terminal: follows the sessions that are on the screen, draws them, and follows the keys.

import Client
import Glibc
import RESP
import Synchronization
import Terminal
import Texts
import Timers

final class WatchScreen {
    private static let frame = Duration.milliseconds(100)
    /// Nothing moves: the screen is only redrawn for a new window size that was missed.
    private static let rest = Duration.seconds(1)
    /// How long it is said that the daemon is back.
    private static let welcome = Duration.seconds(5)

    private let output: Output
    private let link: WatchLink
    private let names: WatchedNames
    private let clock = ContinuousClock()
    private var board: WatchBoard
    private var followed = FollowedViews()
    /// The virtual time when the views were subscribed to.
    private var virtualNow: Reply?
    private var isBack: (after: Duration, until: ContinuousClock.Instant)?

    init(_ daemon: DaemonClient, _ output: Output, pattern: String) throws(ControlError) {
        self.output = output
        let names = WatchedNames(matching: pattern)
        self.names = names
        link = try WatchLink(daemon) { daemon throws(ControlError) in try names.subscribe(to: daemon) }
        let title = (pattern == "*" ? "" : "'\(pattern)' ") + "of the daemon at \(daemon.address)"
        let absence = try SessionListing.absence(isFiltered: pattern != "*", for: daemon)
        board = WatchBoard(
            title: title.printable, style: output.style, isUnicode: TerminalEncoding.isUTF8, absence: absence)
    }

    /// Until a key or a signal ends it.
    func run() throws(ControlError) {
        let terminal = try FullScreen(output)
        var lastFrame = clock.now - Self.frame
        while !terminal.isEnding {
            try terminal.stopIfAsked()
            let body = WatchBoard.bodyHeight(of: terminal.size.rows)
            for event in try link.events() { apply(event) }
            // The frame rate is limited, however much happens.
            let isDue = lastFrame.duration(to: clock.now) >= Self.frame / 2
            if isDue {
                try draw(on: terminal, body)
                lastFrame = clock.now
            }
            let limit = isDue ? pause(body) : Self.frame / 2
            // The window was closed.
            guard WatchLink.wait(for: [link], atMost: limit, input: terminal.input) else { return }
            for key in terminal.typedKeys() {
                if handle(key, height: body) { return }
            }
        }
    }

    private func pause(_ body: Int) -> Duration {
        link.awaySince != nil || board.isRunning(in: body) ? Self.frame : Self.rest
    }

    private func apply(_ event: WatchLink.Event) {
        switch event {
        case .received(.happened(let message)): names.apply(message)
        case .received(.view(let name, let session)):
            if let session { board.know(session) } else { names.forget(name) }
        case .received(.viewsEnded(let name)): followed.remove(name)
        case .lost: followed = FollowedViews()
        case .back(let duration): isBack = (duration, clock.now + Self.welcome)
        }
    }

    // MARK: Drawing

    private func draw(on terminal: FullScreen, _ body: Int) throws(ControlError) {
        let size = terminal.size
        board.show(names.all)
        board.timePasses = names.timePasses
        if !names.timePasses { try updateVirtualTime() }
        try updateVisible(body)
        board.notice = notice
        // The state of timers is unknown while the daemon is away.
        board.isStale = link.awaySince != nil
        try terminal.draw(board.lines(width: size.columns, height: size.rows, now: link.awaySince ?? clock.now))
    }

    private var notice: String? {
        if let since = link.awaySince {
            return "the daemon is away for \(BriefDuration.text(since.duration(to: clock.now))); waiting until it is back"
        }
        guard let isBack, clock.now < isBack.until else { return nil }
        return "the daemon is back after \(BriefDuration.text(isBack.after))"
    }

    private func updateVisible(_ height: Int) throws(ControlError) {
        guard link.awaySince == nil else { return }
        let visible = Set(board.visible(in: height))
        let changes = try followed.update(to: visible) { requests throws(ControlError) in try link.ask(all: requests) }
        for name in changes.unfollowed { board.forget(name) }
        for name in changes.moved { names.forget(name) }
    }

    /// No message reports that ADVANCE has moved the time. So views are subscribed to again, since snapshots arrive in order with the rest.
    private func updateVirtualTime() throws(ControlError) {
        guard let now = try link.ask(all: [["CLOCK"]]).first, now != virtualNow else { return }
        virtualNow = now
        _ = try followed.update(to: []) { requests throws(ControlError) in try link.ask(all: requests) }
    }

    /// True if it is to end.
    private func handle(_ key: Key, height: Int) -> Bool {
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

// MARK: - The subscriptions to views

/// Follows the views of the sessions on the screen, and no others: there may be a million.
package struct FollowedViews {
    /// The sessions with subscribed views, and those with views that are refused for good.
    package private(set) var names: Set<String> = []

    package init() {}

    /// The daemon has ended the subscription.
    package mutating func remove(_ name: String) { names.remove(name) }

    /// Each name has its own request: of several in one, a node refuses all if another node has one of them. `ask` returns
    /// the replies in the order of the requests, and none if the daemon is away. The result has the sessions that are no
    /// longer followed, and those that another node has.
    package mutating func update(
        to visible: Set<String>, asking ask: ([[String]]) throws(ControlError) -> [Reply]
    ) throws(ControlError) -> (unfollowed: Set<String>, moved: [String]) {
        let (gone, new) = (names.subtracting(visible), visible.subtracting(names).sorted())
        let replies = try ask(Self.requests("UNSUBSCRIBE", gone.sorted()) + Self.requests("SUBSCRIBE", new))
        names.subtract(gone)
        var moved: [String] = []
        for (name, reply) in zip(new, replies.suffix(new.count)) {
            if case .error(.moved, _) = reply {
                moved.append(name)
            } else if case .error(let code, _) = reply, code.maySubside {
                continue
            } else {
                names.insert(name)
            }
        }
        return (gone, moved)
    }

    private static func requests(_ command: String, _ names: [String]) -> [[String]] {
        names.map { [command, "view:" + $0] }
    }
}

// MARK: - The names of all sessions that match

final class WatchedNames {
    private let pattern: String
    private(set) var all: Set<String> = []
    /// False on virtual time, where nothing runs down by itself.
    private(set) var timePasses = true

    init(matching pattern: String) {
        self.pattern = pattern
    }

    /// Messages that arrive during the search for names are reported later, and are newer than its result.
    func subscribe(to daemon: DaemonClient) throws(ControlError) {
        _ = try daemon.ask(["PSUBSCRIBE", "session:" + pattern])
        let found = try daemon.sessionNames(match: pattern)
        timePasses = try daemon.ask(["CLOCK"])["clock"]?.text != "virtual"
        all = found
    }

    func apply(_ message: WatchMessage) {
        if message.what == .dropped { forget(message.session) } else { all.insert(message.session) }
    }

    func forget(_ name: String) { all.remove(name) }
}

// MARK: - The terminal while it shows a full screen: drawn without flicker, and given back as it was.

final class FullScreen {
    /// Lines are not wrapped: on a narrow terminal, one would run into the next.
    private static let enter = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[2J"
    private static let leave = "\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"
    private static let endSignals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
    /// Set by a signal that asks the program to end.
    private static let isEnding = Atomic(false)
    /// Set by a signal that asks the program to stop.
    private static let isStopping = Atomic(false)
    /// Set by the signal that the program continues.
    private static let hasContinued = Atomic(false)

    /// Where keys are typed; nil if standard input is not a terminal.
    let input: Int32?
    private let mode: TerminalMode?
    private let output: Output
    private var keys = KeyReader()
    private var shown: [String] = []
    private var shownSize = TerminalSize(columns: 0, rows: 0)

    init(_ output: Output) throws(ControlError) {
        self.output = output
        mode = TerminalMode(descriptor: STDIN_FILENO, .polledKeys)
        input = mode == nil ? nil : STDIN_FILENO
        Self.isEnding.store(false, ordering: .relaxed)
        mode?.enter()
        for number in Self.endSignals {
            signal(number) { _ in FullScreen.isEnding.store(true, ordering: .relaxed) }
        }
        // It only has to end a wait.
        signal(SIGWINCH) { _ in }
        signal(SIGCONT) { _ in FullScreen.hasContinued.store(true, ordering: .relaxed) }
        awaitStopSignal()
        try output.write(Self.enter)
    }

    private func awaitStopSignal() {
        signal(SIGTSTP) { _ in FullScreen.isStopping.store(true, ordering: .relaxed) }
    }

    deinit {
        try? output.write(Self.leave)
        mode?.leave()
        for number in Self.endSignals + [SIGWINCH, SIGCONT, SIGTSTP] { signal(number, SIG_DFL) }
    }

    var isEnding: Bool { Self.isEnding.load(ordering: .relaxed) }

    /// Leaves the terminal to the shell while the program is stopped, and draws everything when it continues. A shell may have changed the mode even
    /// if the program was stopped by a signal that cannot be handled.
    func stopIfAsked() throws(ControlError) {
        let stops = Self.isStopping.exchange(false, ordering: .relaxed)
        guard stops || Self.hasContinued.load(ordering: .relaxed) else { return }
        mode?.leave()
        if stops {
            try output.write(Self.leave)
            signal(SIGTSTP, SIG_DFL)
            raise(SIGTSTP)
            awaitStopSignal()
        }
        Self.hasContinued.store(false, ordering: .relaxed)
        mode?.enter()
        try output.write(Self.enter)
        shownSize = TerminalSize(columns: 0, rows: 0)
    }

    var size: TerminalSize { .of(descriptor: STDOUT_FILENO) }

    /// The keys since the last call.
    func typedKeys() -> [Key] {
        guard let input else { return [] }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = read(input, &bytes, bytes.count)
        return count > 0 ? keys.read(bytes[..<count]) : []
    }

    /// Draws the lines that differ from the screen.
    func draw(_ lines: [String]) throws(ControlError) {
        let size = size
        var text = ""
        if size != shownSize {
            text = "\u{1B}[2J"
            shown = []
        }
        let lines = Array(lines.prefix(size.rows))
        for row in 0..<max(lines.count, shown.count) {
            let line = row < lines.count ? lines[row] : ""
            guard row >= shown.count || shown[row] != line else { continue }
            text += "\u{1B}[\(row + 1);1H\(line)\u{1B}[K"
        }
        (shown, shownSize) = (lines, size)
        if !text.isEmpty { try output.write(text) }
    }
}

// MARK: - `gamectl watch`: sessions, live.

extension Subcommand {
    static let watch = Subcommand(
        .sessions, syntax: "watch [GLOB]", summary: "Shows sessions live, with the time left on their timers.",
        details: """
            On a terminal it fills the screen: the arrow keys or j and k scroll, q or ctrl-C ends it. Otherwise, and if TERM is \
            dumb, it prints a line for each history entry, refusals included; with --json, the daemon's message. If the daemon ends, it \
            reconnects once a daemon listens there again. In a cluster, lines are of all nodes, and the screen of the \
            connected node.
            """,
        examples: ["gamectl watch", "gamectl watch 'room-*'", "gamectl watch --json | jq .to"], words: 0...1
    ) { context, call throws(ControlError) in
        let (output, pattern) = (context.output, call.words.first ?? "*")
        // A daemon that hangs is away: keys wait for its reply. The prompt keeps its own connection.
        let daemon = context.daemon.copy(timeout: .seconds(5))
        if output.isTerminal, !output.isJSON, !TerminalKind.isDumb {
            try WatchScreen(daemon, output, pattern: pattern).run()
        } else {
            try WatchLines(daemon, output, pattern: pattern).run()
        }
        return .accepted
    }
}
