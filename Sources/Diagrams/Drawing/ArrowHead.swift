// An arrow's head at the end of its way, and the way up to it.

enum ArrowHead {
    private static let length = 8.0
    private static let width = 3.4

    static func split(_ points: [Point]) -> (line: [Point], head: String) {
        guard let tip = points.last else { return (points, "") }
        // The last point that is not the tip itself says where it comes from.
        let before = points.dropLast().last { abs($0.x - tip.x) + abs($0.y - tip.y) > 0.5 } ?? Point(tip.x, tip.y - 1)
        let (dx, dy) = (tip.x - before.x, tip.y - before.y)
        let distance = (dx * dx + dy * dy).squareRoot()
        let (ux, uy) = (dx / distance, dy / distance)
        let foot = Point(tip.x - ux * length, tip.y - uy * length)
        let (left, right) = (Point(foot.x - uy * width, foot.y + ux * width), Point(foot.x + uy * width, foot.y - ux * width))
        var line = points
        line[line.count - 1] = Point(tip.x - ux * (length - 1), tip.y - uy * (length - 1))
        return (line, "M\(tip.drawn)L\(left.drawn)L\(right.drawn)Z")
    }
}

extension Point {
    var drawn: String { "\(x.drawn) \(y.drawn)" }
}

extension [Point] {
    /// Cubic curves; what goes straight down is written as one line.
    var path: String {
        guard let first else { return "" }
        var (text, last, line) = ("M\(first.drawn)", first, Point?.none)
        for place in stride(from: 1, to: count - 2, by: 3) {
            let (one, two, end) = (self[place], self[place + 1], self[place + 2])
            let isStraight = abs(one.x - last.x) + abs(two.x - last.x) + abs(end.x - last.x) < 0.1
            if let pending = line, !isStraight { text += "L\(pending.drawn)" }
            line = isStraight ? end : nil
            if !isStraight { text += "C\(one.drawn) \(two.drawn) \(end.drawn)" }
            last = end
        }
        return line.map { text + "L\($0.drawn)" } ?? text
    }
}
