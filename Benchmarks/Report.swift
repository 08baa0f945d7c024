// The measurements: rows of figures side by side, as a table for people and as JSON for programs.

import Foundation
import Texts

/// One measure: ours beside its peers, in one unit, from one run.
struct Row: Codable {
    struct Figure: Codable {
        let who: String
        let value: Double
    }

    /// A goal of the project, and whether this run reached it.
    struct Target: Codable {
        let text: String
        let reached: Bool
    }

    let name: String
    let unit: String
    let figures: [Figure]
    var target: Target?

    var ours: Double { figures.first?.value ?? 0 }

    func value(of who: String) -> Double? {
        figures.first { $0.who == who }?.value
    }
}

final class Report {
    private(set) var rows: [Row] = []

    func section(_ title: String) {
        print("\n\(title)")
    }

    func add(
        _ name: String, unit: String, _ figures: KeyValuePairs<String, Double>, target: Row.Target? = nil
    ) {
        let row = Row(name: name, unit: unit, figures: figures.map { Row.Figure(who: $0, value: $1) }, target: target)
        rows.append(row)
        print(line(for: row))
        // A reader of a file or a pipe sees it at once.
        fflush(nil)
    }

    private func line(for row: Row) -> String {
        let figures = row.figures.enumerated().map { index, figure in
            let ratio = index > 0 && row.ours > 0 ? " (\(short(figure.value / row.ours))x)" : ""
            return "\(figure.who) \(short(figure.value))\(ratio)"
        }
        let verdict = row.target.map { "  [\($0.reached ? "reached" : "MISSED"): \($0.text)]" } ?? ""
        return "  \(row.name.padded(to: 38)) \(row.unit.padded(to: 6)) \(figures.joined(separator: " · "))\(verdict)"
    }

    func write(json path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(rows).write(to: URL(fileURLWithPath: path))
        print("\nwritten to \(path)")
    }
}

func short(_ value: Double) -> String {
    switch abs(value) {
    case 1_000_000...: String(format: "%.2fM", value / 1_000_000)
    case 100...: String(format: "%.0f", value)
    case 10...: String(format: "%.1f", value)
    default: String(format: "%.2f", value)
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
