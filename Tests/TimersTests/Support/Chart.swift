// Timers as a chart in text: a row a timer, a column a step of time.
//
//     clock            ..f---r....        f freeze, r resume
//     countdown(4)     ^---------*        ^ start, * must fire here and nowhere else
//     pendulum(2)      ^-*-----*-x        x drop, p pause, r resume, > one column more, < one column less
//
// A column's actions happen at the column's instant, after the firings of that instant.

import Testing
import Timers

struct ChartRow {
    enum Kind {
        case clock
        case countdown(columns: Double)
        case pendulum(columns: Double)
    }

    let kind: Kind
    let marks: [Character]

    static func clock(_ marks: String) -> ChartRow {
        ChartRow(kind: .clock, marks: Array(marks))
    }

    static func countdown(_ columns: Double, _ marks: String) -> ChartRow {
        ChartRow(kind: .countdown(columns: columns), marks: Array(marks))
    }

    static func pendulum(_ columns: Double, _ marks: String) -> ChartRow {
        ChartRow(kind: .pendulum(columns: columns), marks: Array(marks))
    }
}

/// Plays the chart, once with a step a column and once with many small steps, and compares what fired with its stars.
func chart(
    column: Duration = .seconds(1), _ rows: ChartRow..., sourceLocation: SourceLocation = #_sourceLocation
) throws {
    for stepsPerColumn in [1, 8] {
        var player = ChartPlayer(rows: rows, column: column, stepsPerColumn: stepsPerColumn)
        let drawn = try player.play()
        let expected = rows.map { String($0.marks) }
        #expect(drawn == expected, "in \(stepsPerColumn) steps a column", sourceLocation: sourceLocation)
    }
}

private struct ChartPlayer {
    let rows: [ChartRow]
    let column: Duration
    let stepsPerColumn: Int
    let stopwatch = Stopwatch()
    var timers: [StateTimer?]

    init(rows: [ChartRow], column: Duration, stepsPerColumn: Int) {
        self.rows = rows
        self.column = column
        self.stepsPerColumn = stepsPerColumn
        timers = Array(repeating: nil, count: rows.count)
    }

    /// The actual chart: a star where a timer fired, a `!` where two firings fell into one column.
    mutating func play() throws -> [String] {
        var drawn = rows.map { row in row.marks.map { $0 == "*" ? "-" : $0 } }
        var seen = 0
        for index in 0..<(rows.map(\.marks.count).max() ?? 0) {
            if index > 0 { advanceOneColumn() }
            for entry in stopwatch.log[seen...] {
                let row = Int(entry.split(separator: " ")[1]) ?? 0
                let onTime = entry.hasPrefix("\(seconds(.zero.advanced(by: column * index))) ")
                drawn[row][index] = onTime && drawn[row][index] == "-" ? "*" : "!"
            }
            seen = stopwatch.log.count
            for row in rows.indices where index < rows[row].marks.count {
                try perform(rows[row].marks[index], row: row)
            }
            stopwatch.advance(.zero)
        }
        return drawn.map { String($0) }
    }

    private func advanceOneColumn() {
        for _ in 1..<stepsPerColumn { stopwatch.advance(column / stepsPerColumn) }
        let goal = column - column / stepsPerColumn * (stepsPerColumn - 1)
        stopwatch.advance(goal)
    }

    private mutating func perform(_ mark: Character, row: Int) throws {
        switch (mark, rows[row].kind) {
        case ("f", .clock): stopwatch.flow.freeze()
        case ("r", .clock): stopwatch.flow.resume()
        case ("^", .countdown(let columns)):
            timers[row] = try stopwatch.countdown("\(row)", column * columns)
        case ("^", .pendulum(let columns)):
            timers[row] = try stopwatch.pendulum("\(row)", every: column * columns)
        case ("x", _): timers[row] = nil
        case ("p", _): timers[row]?.pause()
        case ("r", _): timers[row]?.resume()
        case (">", _): try timers[row]?.extend(by: column)
        case ("<", _): try timers[row]?.extend(by: column * -1)
        case ("-", _), (".", _), (" ", _), ("*", _): break
        default: Issue.record("the chart has no mark '\(mark)' here")
        }
    }
}
