// The list of sessions as lines.

import Texts

extension ConsoleScreen {
    /// Sessions take these rows at the most, and say how many more there are.
    func body(_ list: ListPicture, rows: Int) -> [Line] {
        let gone = list.gone.map { "'\($0)' is not there any more. " } ?? ""
        guard list.total > 0 else {
            return [
                Line("\(gone)There is no session.", .title, .title), .blank, Line("  \(list.suggestion)  creates one", .action),
                .blank,
            ]
        }
        // Title, "and 3 more", and two blank lines: without them where there is less room.
        let most = list.total <= rows ? rows : max(1, rows - (rows > 6 ? 5 : 1))
        let shown = list.lines.prefix(most)
        let width = min(40, shown.map { $0.name.printable.displayWidth }.max() ?? 0)
        let lines = shown.enumerated().map { index, session in
            let name = session.name.printable.clipped(to: width).padded(to: width)
            return Line("  \(Self.key(index))  \(name)  \(session.flow) · \(session.state)", .action)
        }
        let more =
            list.total > shown.count
            ? [Line("and \(list.total - shown.count) more; a letter begins a name, @ any", .notice, .faint)] : []
        return [Line("\(gone)Sessions", .title, .title)] + lines + more + [.blank]
    }
}
