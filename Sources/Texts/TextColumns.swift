// Text in columns, and prose wrapped at a width.

package enum TextColumns {
    /// Rows with aligned cells. A first cell that is wider than `widest` gets a line of its own.
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
            if !current.isEmpty, current.count + 1 + word.count > width {
                lines.append(current)
                current = ""
            }
            current += (current.isEmpty ? "" : " ") + word
        }
        return (lines + [current]).joined(separator: "\n")
    }
}
