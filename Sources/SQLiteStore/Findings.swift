// What was found when the store was opened, counted.

import Store

struct Findings {
    /// Rows without a checksum, by table.
    var unsealed: [Table: Int] = [:]
    /// Rows that are not what was written, and rows that cannot be read. They are left out where that was accepted.
    var broken: [Table: Int] = [:]
    var unreadable: [Table: Int] = [:]
    /// Everything else.
    var others: [Finding] = []

    var hasLoss: Bool { !broken.isEmpty || !unreadable.isEmpty || others.contains(where: \.isLoss) }

    mutating func record(_ sentence: String, isLoss: Bool = false) {
        others.append(Finding(sentence: sentence, isLoss: isLoss))
    }

    var all: [Finding] {
        others
            + Self.findings(unsealed, isLoss: false) { table, rows, isOne in
                "\(rows) of the table '\(table.rawValue)' \(isOne ? "carries" : "carry") no checksum: edited by hand, and taken as found"
            }
            + Self.findings(broken, isLoss: true) { table, rows, isOne in
                "\(rows) of the table '\(table.rawValue)' \(isOne ? "is" : "are") damaged, and "
                    + (table == .sessions ? "set aside" : "left out")
            }
            + Self.findings(unreadable, isLoss: true) { table, rows, _ in
                "\(rows) of the table '\(table.rawValue)' cannot be read: left out"
            }
    }

    private static func findings(
        _ counts: [Table: Int], isLoss: Bool, _ sentence: (Table, _ rows: String, _ isOne: Bool) -> String
    ) -> [Finding] {
        Table.allCases.compactMap { table in
            counts[table].map {
                Finding(sentence: sentence(table, $0 == 1 ? "1 row" : "\($0) rows", $0 == 1), isLoss: isLoss)
            }
        }
    }
}
