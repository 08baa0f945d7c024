// Short texts side by side, in as few rows as they take.

import Texts

enum TextRows {
    /// As many texts in a row as fit, and at least one.
    static func filled(_ texts: [String], _ separator: String, columns: Int) -> [String] {
        texts.reduce(into: []) { rows, text in
            guard let last = rows.last, (last + separator + text).displayWidth <= columns else { return rows.append(text) }
            rows[rows.count - 1] = last + separator + text
        }
    }
}
