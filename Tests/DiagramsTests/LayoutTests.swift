// Our own layered layout.

import Seeds
import TestSupport
import Testing

@testable import Diagrams

@Suite struct `A layered layout` {
    @Test func `A layered layout of a random graph has no overlaps, and every link meets both its ends`() throws {
        var random = SeededGenerator.announced("A layered layout", seed: 13)
        for round in 0..<80 {
            let problem = LayoutProblem.random(&random)
            let layout = try LayeredLayout.layout(of: problem)
            let fault = Inspection(problem, layout).fault
            #expect(fault == nil, "round \(round): \(fault ?? "")")
            if fault != nil { return }
        }
    }

    @Test func `A layered layout is the same for the same graph`() throws {
        var random = SeededGenerator(seed: 7)
        let problem = LayoutProblem.random(&random)
        let layouts = try (0..<3).map { _ in try LayeredLayout.layout(of: problem) }
        #expect(Set(layouts.map { "\($0)" }).count == 1)
    }

    @Test func `A layered layout of hundreds of boxes and links is computed in less than 10 s`() throws {
        var random = SeededGenerator.announced("Hundreds of boxes", seed: 5)
        var problem = LayoutProblem()
        problem.frames = [.init(parent: nil, title: .zero, order: 0, isVisible: false)]
        problem.boxes = (0..<300).map { .init(size: Size(80, 32), frame: 0, order: $0) }
        problem.links = (0..<600).map { number in
            let from = number % 300
            return .init(from: .box(from), to: .box((from + .random(in: 1...6, using: &random)) % 300), label: Size(50, 14))
        }
        let time = processorTime { #expect(throws: Never.self) { try LayeredLayout.layout(of: problem) } }
        // An unoptimized build takes some 20 times as long.
        #expect(time < .seconds(10), "it took \(time)")
    }

    @Test func `A layered layout of a graph that is too large is refused with an error`() {
        var problem = LayoutProblem()
        problem.frames = [.init(parent: nil, title: .zero, order: 0, isVisible: false)]
        problem.boxes = (0..<1_000).map { .init(size: Size(80, 32), frame: 0, order: $0) }
        problem.links = (1..<1_000).flatMap { number in
            [0, number / 2, number - 1].map { .init(from: .box($0), to: .box(number), label: .zero) }
        }
        #expect(throws: DiagramError.self) { try LayeredLayout.layout(of: problem) }
    }
}

/// Checks a layout.
private struct Inspection {
    let problem: LayoutProblem
    let layout: Layout

    init(_ problem: LayoutProblem, _ layout: Layout) {
        (self.problem, self.layout) = (problem, layout)
    }

    var fault: String? { overlap ?? outside ?? badRoute ?? badLabel }

    private func area(_ end: LayoutProblem.End) -> Rectangle {
        switch end {
        case .box(let box): layout.boxes[box]
        case .frame(let frame): layout.frames[frame]
        }
    }

    private var ends: [LayoutProblem.End] { problem.boxes.indices.map { .box($0) } + problem.frames.indices.map { .frame($0) } }

    private var overlap: String? {
        for one in ends {
            for other in ends where one != other && !problem.isInside(one, other) && !problem.isInside(other, one) {
                if area(one).overlaps(area(other)) { return "\(one) overlaps \(other)" }
            }
        }
        return nil
    }

    private var outside: String? {
        let whole = Rectangle(Point(0, 0), layout.size)
        for end in ends {
            if !whole.contains(area(end)) { return "\(end) is outside of the picture" }
            if let home = problem.home(of: end), !layout.frames[home].contains(area(end)) {
                return "\(end) is outside of \(home)"
            }
        }
        return nil
    }

    private var badRoute: String? {
        for (number, link) in problem.links.enumerated() {
            let route = layout.routes[number]
            guard let first = route.points.first, let last = route.points.last, route.points.count % 3 == 1 else {
                return "link \(number) has no way"
            }
            if !area(link.from).hasOnBorder(first) { return "link \(number) begins at \(first), beside \(link.from)" }
            if !area(link.to).hasOnBorder(last) { return "link \(number) ends at \(last), beside \(link.to)" }
            for box in layout.boxes.indices {
                if let point = route.samples.first(where: layout.boxes[box].swallows) {
                    return "link \(number) runs through box \(box) at \(point)"
                }
            }
        }
        return nil
    }

    private var badLabel: String? {
        var labels: [Rectangle] = []
        for (number, link) in problem.links.enumerated() where link.hasLabel {
            guard let place = layout.routes[number].label else { return "link \(number) lost its label" }
            labels.append(Rectangle(place, link.label))
        }
        for (number, label) in labels.enumerated() {
            if layout.boxes.contains(where: label.overlaps) { return "a label lies on a box" }
            if labels[..<number].contains(where: label.overlaps) { return "two labels overlap" }
        }
        return nil
    }
}
