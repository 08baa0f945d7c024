// Renders a picture and a dialog as lines that fit the terminal.

import Commands
import GameFlow
import Sessions
import Terminal
import Texts

struct ConsoleScreen {
    struct Line: Equatable {
        /// The last case is left out first. The cases before the notice are needed to play.
        enum Worth: Comparable {
            case prompt, complaint, clock, action, notice, title, more, keys, head, text, progress, blank
        }

        let text: String
        var style = TextAttribute.plain
        let worth: Worth

        init(_ text: String, _ worth: Worth, _ style: TextAttribute = .plain) {
            (self.text, self.worth, self.style) = (text, worth, style)
        }

        static let blank = Line("", .blank)
    }

    /// The characters of a bar.
    struct Glyphs {
        let full: Character
        let empty: Character

        static let blocks = Glyphs(full: "█", empty: "░")
        static let ascii = Glyphs(full: "#", empty: "-")
    }

    let size: TerminalSize
    var glyphs = Glyphs.blocks

    /// The columns that a line may take: the last is left to the cursor.
    var columns: Int { max(1, size.columns - 1) }

    /// As many lines as fit; decoration goes first.
    func lines(_ picture: ConsolePicture, _ dialog: ConsoleDialog) -> [Line] {
        let foot = foot(picture, dialog)
        let needed = foot.count { $0.worth < .notice }
        let body =
            switch picture {
            case .session(let session, _): body(session, rows: size.rows - needed)
            case .list(let list): body(list, rows: size.rows - needed)
            }
        return fitting(body + foot).map { Line($0.text.printable.clipped(to: columns), $0.worth, $0.style) }
    }

    /// Leaves out the least important lines, from the end, until the rest fits.
    private func fitting(_ lines: [Line]) -> [Line] {
        var lines = lines
        while lines.count > max(1, size.rows), let least = lines.map(\.worth).max() {
            guard let index = lines.lastIndex(where: { $0.worth == least }) else { break }
            lines.remove(at: index)
        }
        return lines
    }

    // MARK: The foot

    private func foot(_ picture: ConsolePicture, _ dialog: ConsoleDialog) -> [Line] {
        var lines = complaint(dialog.complaint)
        if case .session(let session, _) = picture, let timer = session.timeRanOut?.timer {
            lines.append(Line("Time ran out: \(timer)", .notice, .stopped))
        }
        switch dialog.mode {
        case .watching:
            lines.append(keys(picture.keys))
        case .typing(let action, let text):
            let needs = action.payload.map(Self.needs) ?? ""
            lines.append(keys(["enter sends", "esc does not"]))
            lines.append(prompt("\(action.label), \(needs)> ", text))
        case .naming(let text):
            lines.append(keys(["enter sends", "tab completes", "esc does not"]))
            lines.append(prompt("> ", text))
        }
        return lines
    }

    /// A refusal, on several lines if it is long.
    private func complaint(_ sentence: String?) -> [Line] {
        guard let sentence else { return [] }
        let rows = rows(of: sentence.printable.split(separator: " ").map(String.init), " ")
        return rows.prefix(4).enumerated().map { Line($1, $0 == 0 ? .complaint : .more, .bad) }
    }

    /// The keys that fit; the most important come first.
    private func keys(_ keys: [String]) -> Line {
        Line(rows(of: keys).first ?? "", .keys, .faint)
    }

    /// Short texts side by side: as many in a row as fit, and at least one.
    func rows(of texts: [String], _ separator: String = " · ") -> [String] {
        texts.reduce(into: []) { rows, text in
            guard let last = rows.last, (last + separator + text).displayWidth <= columns else { return rows.append(text) }
            rows[rows.count - 1] = last + separator + text
        }
    }

    /// The typed text, scrolled to its end.
    private func prompt(_ prompt: String, _ text: String) -> Line {
        let most = max(columns / 2, columns - 20)
        let isLong = prompt.displayWidth > most
        let prompt = isLong ? String(prompt.dropLast(2)).clipped(to: max(0, most - 2)) + "> " : prompt
        let room = max(1, columns - prompt.displayWidth)
        var tail = text.printable[...]
        while String(tail).displayWidth > room { tail = tail.dropFirst() }
        return Line(prompt + tail, .prompt)
    }
}

extension ConsolePicture {
    /// The meanings of keys, the most important first.
    fileprivate var keys: [String] {
        let ends = endsAtOnce ? "q leaves" : "q enter leaves"
        switch self {
        case .session(let session, let hasOthers):
            let pause = session.view.isPaused ? "space resumes" : "space pauses"
            return [ends, pause] + (hasOthers ? ["tab next"] : []) + ["esc list", "letters begin an event's name"]
        case .list(let list):
            return [ends, list.total == 0 ? "letters begin a command" : "a digit or a name shows a session"]
                + (list.total == 0 ? [] : ["NEW name flow creates one"])
        }
    }
}

// MARK: - The list of sessions as lines

extension ConsoleScreen {
    /// Sessions take these rows at the most, and show how many more there are.
    func body(_ list: ListPicture, rows: Int) -> [Line] {
        let gone = list.gone.map { "'\($0)' no longer exists. " } ?? ""
        guard list.total > 0 else {
            return [
                Line("\(gone)There is no session.", .title, .strong), .blank,
                Line("  \(list.suggestion)  creates one", .action),
                .blank,
            ]
        }
        // Title, "and 3 more", and two blank lines: without them where there is less room.
        let most = list.total <= rows ? rows : max(1, rows - (rows > 6 ? 5 : 1))
        let shown = list.lines.prefix(most)
        let width = min(40, shown.map { $0.name.printable.displayWidth }.max() ?? 0)
        let lines = shown.enumerated().map { index, session in
            let name = session.name.printable.clipped(to: width).padded(to: width)
            return Line("  \(Self.key(index) ?? " ")  \(name)  \(session.flow) · \(session.state)", .action)
        }
        let more =
            list.total > shown.count
            ? [Line("and \(list.total - shown.count) more; a letter begins a name, @ any", .notice, .faint)] : []
        return [Line("\(gone)Sessions", .title, .strong)] + lines + more + [.blank]
    }
}

// MARK: - A snapshot of what the console shows; everything that it draws is computed from this.

/// The contents of a console, apart from the text being typed.
enum ConsolePicture {
    /// One session, and whether there are others.
    case session(SessionPicture, hasOthers: Bool)
    /// Sessions to choose from.
    case list(ListPicture)
}

struct SessionPicture {
    let name: String
    let flow: String
    let state: String
    let view: ViewModel
    /// The names of all events of its flow that a user interface may send.
    let events: [String]
    /// The timer that has just moved it on, and when.
    let timeRanOut: TimerMove?
}

struct ListPicture {
    /// Some of the sessions.
    let lines: [SessionLine]
    /// How many there are in all.
    let total: Int
    /// A command that begins a session.
    let suggestion: String
    /// The session that was shown and has been dropped.
    let gone: String?
}

struct SessionLine: Hashable {
    let name: String
    let flow: String
    let state: String
}

extension ConsolePicture {
    /// How many sessions a list looks at.
    private static let maxListed = 1_000
    /// How long the notice that time ran out is shown.
    private static let moment = Duration.seconds(5)

    /// The named session, or a list if there is no session of that name.
    init(of name: String?, in host: Host) {
        if let name, let session = host.sessions.find(name) {
            self = .session(SessionPicture(session, name, Self.moment), hasOthers: host.sessions.count > 1)
        } else {
            let flow = host.sessions.flow(named: "game") ?? host.sessions.flows.first
            self = .list(
                ListPicture(
                    lines: Self.lines(in: host), total: host.sessions.count, suggestion: "NEW main \(flow?.name ?? "flow")",
                    gone: name))
        }
    }

    static func lines(in host: Host) -> [SessionLine] {
        host.sessions.scan(from: 0, atMost: maxListed).sessions.map {
            SessionLine(name: $0.name, flow: $0.machine.flowName, state: $0.machine.stateName)
        }
    }

    /// The names of the events that a typed line may begin with.
    var events: [String] {
        switch self {
        case .session(let session, _): session.events
        case .list: []
        }
    }

    /// Whether it changes by itself as time passes.
    var isMoving: Bool {
        guard case .session(let session, _) = self else { return false }
        return session.timeRanOut != nil || session.view.clocks.contains { !$0.isPaused }
    }
}

extension SessionPicture {
    fileprivate init(_ session: Session, _ name: String, _ moment: Duration) {
        let machine = session.machine
        let now = machine.timekeeper.now
        self.init(
            name: name, flow: machine.flowName, state: machine.stateName, view: machine.viewModel,
            events: machine.kind.events.filter { $0.sources.contains(EventSource.ui) }.map(\.name),
            timeRanOut: session.lastMove.flatMap { $0.at.duration(to: now) < moment ? $0 : nil })
    }
}
