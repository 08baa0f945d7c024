// Random layout problems: boxes of any size in nested frames, and links between any of them.

import Seeds

@testable import Diagrams

extension LayoutProblem {
    static func random(_ random: inout SeededGenerator) -> LayoutProblem {
        var problem = LayoutProblem()
        let frames = Int.random(in: 1...6, using: &random)
        for number in 0..<frames {
            problem.frames.append(
                .init(
                    parent: number == 0 ? nil : Int.random(in: 0..<number, using: &random),
                    title: Size(.random(in: 10...200, using: &random), 18),
                    order: number * 10, isVisible: number > 0))
        }
        // No frame is empty.
        for frame in 0..<frames {
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                problem.boxes.append(
                    .init(
                        size: Size(.random(in: 9...180, using: &random), .random(in: 9...90, using: &random)), frame: frame,
                        order: problem.boxes.count))
            }
        }
        for _ in 0..<Int.random(in: 0...25, using: &random) { problem.addLink(&random) }
        return problem
    }

    private mutating func addLink(_ random: inout SeededGenerator) {
        let (from, to) = (end(&random), end(&random))
        if from == to, case .frame = from { return }
        guard from == to || !(isInside(from, to) || isInside(to, from)) else { return }
        guard from != to || !links.contains(where: { $0.from == from && $0.to == to }) else { return }
        let label = Bool.random(using: &random) ? Size(.random(in: 10...150, using: &random), 14) : .zero
        links.append(.init(from: from, to: to, label: label))
    }

    private func end(_ random: inout SeededGenerator) -> End {
        frames.count > 1 && Int.random(in: 0..<4, using: &random) == 0
            ? .frame(.random(in: 1..<frames.count, using: &random)) : .box(.random(in: 0..<boxes.count, using: &random))
    }

    func isInside(_ end: End, _ outer: End) -> Bool {
        guard case .frame(let frame) = outer else { return false }
        var next = home(of: end)
        while let place = next, place != frame { next = frames[place].parent }
        return next != nil
    }
}

extension Rectangle {
    func overlaps(_ other: Rectangle) -> Bool {
        let (one, two) = (self, other)
        return one.left < two.right - 0.01 && two.left < one.right - 0.01 && one.top < two.bottom - 0.01
            && two.top < one.bottom - 0.01
    }

    func contains(_ other: Rectangle) -> Bool {
        left <= other.left + 0.01 && right >= other.right - 0.01 && top <= other.top + 0.01 && bottom >= other.bottom - 0.01
    }

    /// Inside, and not near the border.
    func swallows(_ point: Point) -> Bool {
        point.x > left + 1 && point.x < right - 1 && point.y > top + 1 && point.y < bottom - 1
    }

    func hasOnBorder(_ point: Point) -> Bool {
        let isWithin = point.x > left - 0.5 && point.x < right + 0.5 && point.y > top - 0.5 && point.y < bottom + 0.5
        return isWithin && !swallows(point)
    }
}

extension Layout.Route {
    /// Points on the curves, close to each other.
    var samples: [Point] {
        stride(from: 0, to: points.count - 3, by: 3).flatMap { start in
            (0...20).map { step in
                let (t, u) = (Double(step) / 20, 1 - Double(step) / 20)
                let weights = [u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t]
                return (0..<4).reduce(Point(0, 0)) {
                    Point($0.x + weights[$1] * points[start + $1].x, $0.y + weights[$1] * points[start + $1].y)
                }
            }
        }
    }
}
