// Text in columns, and prose wrapped at a width.

package enum TextColumns {
    /// Rows with aligned cells. A first cell that is wider than `widest` gets a separate line.
    package static func lines(_ rows: [[String]], indent: Int = 0, widest: Int = .max) -> [String] {
        let margin = String(repeating: " ", count: indent)
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in
            rows.compactMap { column < $0.count ? $0[column].displayWidth : nil }.filter { $0 <= widest }.max() ?? 0
        }
        return rows.flatMap { row in
            if let first = row.first, row.count > 1, first.displayWidth > widest {
                let rest = [""] + row.dropFirst()
                return [margin + first, margin + line(rest, widths)]
            }
            return [margin + line(row, widths)]
        }
    }

    /// Cells that are clipped where the rows would not fit into the width. The widest columns give way first, down to eight letters.
    package static func fitted(_ rows: [[String]], to width: Int) -> [[String]] {
        let columns = rows.map(\.count).max() ?? 0
        var widths = (0..<columns).map { column in rows.map { column < $0.count ? $0[column].displayWidth : 0 }.max() ?? 0 }
        let room = width - 2 * max(0, columns - 1)
        while widths.reduce(0, +) > room, let widest = widths.max(), widest > 8, let column = widths.firstIndex(of: widest) {
            let others = widths.reduce(0, +) - widest
            let next = widths.filter { $0 < widest }.max() ?? 8
            widths[column] = max(8, min(widest - 1, max(next, room - others)))
        }
        return rows.map { row in zip(row, widths).map { $0.clipped(to: $1) } }
    }

    private static func line(_ row: [String], _ widths: [Int]) -> String {
        var text = ""
        for (column, cell) in row.enumerated() {
            text += column == row.count - 1 ? cell : cell.padded(to: widths[column]) + "  "
        }
        return text
    }

    /// Breaks long lines of prose at blanks; indented lines stay as they are.
    package static func wrapped(_ text: String, to width: Int) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.hasPrefix(" ") || line.hasPrefix("usage:") ? String(line) : wrapped(line: line, to: width)
        }.joined(separator: "\n")
    }

    private static func wrapped(line: Substring, to width: Int) -> String {
        var (lines, current): ([String], String) = ([], "")
        for word in line.split(separator: " ") {
            if !current.isEmpty, current.displayWidth + 1 + String(word).displayWidth > width {
                lines.append(current)
                current = ""
            }
            current += (current.isEmpty ? "" : " ") + word
        }
        return (lines + [current]).joined(separator: "\n")
    }
}
