// Renders a picture and a dialog as lines that fit the terminal.

import GameFlow
import Sessions
import Terminal
import Texts
import Timers

struct ConsoleScreen {
    struct Line: Equatable {
        enum Style {
            case plain, title, faint, alarm
        }

        let text: String
        var style = Style.plain
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

    /// As many lines as fit, and how many are missing.
    func lines(_ picture: ConsolePicture, _ dialog: ConsoleDialog) -> [Line] {
        let (body, foot) =
            switch picture {
            case .session(let session, let hasOthers): (self.body(session, dialog), foot(session, dialog, hasOthers))
            case .list(let sessions, let total): (self.body(sessions, total: total), foot(isEmpty: sessions.isEmpty))
            }
        let room = max(1, size.rows - foot.count - 1)
        let fitting =
            body.count <= room ? body : body.prefix(room - 1) + [Line(text: "… and \(body.count - room + 1) lines more")]
        return (fitting + foot).map { line in
            Line(text: line.text.printable.clipped(to: size.columns - 1), style: line.style)
        }
    }

    // MARK: A session

    private func body(_ session: SessionPicture, _ dialog: ConsoleDialog) -> [Line] {
        let view = session.view
        var lines = [
            Line(
                text: "\(session.name) · \(session.flow) · \(session.state)\(view.isPaused ? " · paused" : "")", style: .faint),
            Line(text: view.screen.title, style: .title),
        ]
        if !view.screen.text.isEmpty { lines.append(Line(text: view.screen.text)) }
        if let progress = view.screen.progress {
            lines.append(Line(text: bar(progress, columns: 20) + " \(Int(progress * 100)) %"))
        }
        lines.append(Line(text: ""))
        if !view.clocks.isEmpty { lines += clocks(view.clocks) + [Line(text: "")] }
        return lines + actions(view, dialog) + [Line(text: "")]
    }

    private func clocks(_ clocks: [ViewModel.Clock]) -> [Line] {
        let width = min(24, clocks.map { $0.name.displayWidth }.max() ?? 0)
        return clocks.map { clock in
            let name = clock.name.clipped(to: width).padded(to: width)
            let share = clock.length > .zero ? clock.remaining / clock.length : 0
            let repeats = clock.kind == .pendulum ? " of every \(Self.text(clock.length))" : ""
            let rest = " \(Self.text(clock.remaining))\(repeats)\(clock.isPaused ? " paused" : "")"
            let columns = max(5, min(40, size.columns - width - 24))
            return Line(text: "  \(name) \(bar(share, columns: columns))\(rest)")
        }
    }

    /// `9.3 s`, `1:05`, `2:00:00`, rounded up.
    static func text(_ duration: Duration) -> String {
        let milliseconds = max(0, duration.milliseconds)
        guard milliseconds >= 60_000 else {
            let tenths = (milliseconds + 99) / 100
            return "\(tenths / 10).\(tenths % 10) s"
        }
        let seconds = (milliseconds + 999) / 1_000
        let two = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
        let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60)
        return hours > 0 ? "\(hours):\(two(minutes)):\(two(seconds % 60))" : "\(minutes):\(two(seconds % 60))"
    }

    private func bar(_ share: Double, columns: Int) -> String {
        let full = Int((max(0, min(1, share)) * Double(columns)).rounded(.up))
        return String(repeating: glyphs.full, count: full) + String(repeating: glyphs.empty, count: columns - full)
    }

    private func actions(_ view: ViewModel, _ dialog: ConsoleDialog) -> [Line] {
        guard !view.actions.isEmpty else {
            return [Line(text: view.isFinal ? "It is over: nothing more will come." : "Nothing to do but wait.", style: .faint)]
        }
        return zip(ConsoleDialog.choices, view.actions).map { key, action in
            Line(text: "  \(key)  \(action.label)\(action.payload.map { "… (\(Self.needs($0)))" } ?? "")")
        }
    }

    /// What payload an action needs.
    static func needs(_ payload: PayloadKind) -> String {
        payload.hint.map { "\(payload.name): \($0)" } ?? payload.name
    }

    private func foot(_ session: SessionPicture, _ dialog: ConsoleDialog, _ hasOthers: Bool) -> [Line] {
        var lines: [Line] = []
        if let complaint = dialog.complaint { lines.append(Line(text: complaint, style: .alarm)) }
        switch dialog.mode {
        case .watching:
            let others = hasOthers ? "tab next · " : ""
            let pause = session.view.isPaused ? "p resume" : "p pause"
            lines.append(Line(text: "\(others)l list · \(pause) · ctrl-c stop", style: .faint))
        case .typing(let action, let text):
            let needs = action.payload.map(Self.needs) ?? ""
            lines.append(Line(text: "enter sends · esc does not", style: .faint))
            lines.append(Line(text: Self.tail("\(action.label), \(needs)> ", text, columns: size.columns - 1)))
        }
        return lines
    }

    /// What is typed, seen from its end.
    private static func tail(_ prompt: String, _ text: String, columns: Int) -> String {
        let shown = text.printable
        let room = max(1, columns - prompt.displayWidth)
        var tail = shown[...]
        while String(tail).displayWidth > room { tail = tail.dropFirst() }
        return prompt + tail
    }

    // MARK: The list

    private func body(_ sessions: [SessionLine], total: Int) -> [Line] {
        guard total > 0 else { return [Line(text: "There is no session.", style: .title), Line(text: "")] }
        let shown = Array(zip(ConsoleDialog.choices, sessions))
        let width = min(40, shown.map { $0.1.name.displayWidth }.max() ?? 0)
        let lines = shown.map { key, session in
            let name = session.name.printable.clipped(to: width).padded(to: width)
            return Line(text: "  \(key)  \(name)  \(session.flow) · \(session.state)")
        }
        let more =
            total > shown.count
            ? [Line(text: "and \(total - shown.count) more; --console NAME shows any", style: .faint)] : []
        return [Line(text: "Sessions", style: .title)] + lines + more + [Line(text: "")]
    }

    private func foot(isEmpty: Bool) -> [Line] {
        [
            Line(
                text: isEmpty ? "NEW name flow begins one · ctrl-c stop" : "a key shows a session · ctrl-c stop",
                style: .faint)
        ]
    }
}
