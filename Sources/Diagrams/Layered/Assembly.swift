// The frames' arrangements put together: every box, frame and way where it stands in the whole picture.

struct Assembly {
    private let problem: LayoutProblem
    private let arrangements: [Int: Arrangement]
    private let reversed: Set<Int>
    private var boxes: [Rectangle]
    private var frames: [Rectangle]
    private var labels: [Int: Point] = [:]
    /// By link: its parts in the frames that it passes.
    private var parts: [[[Point]]]

    init(_ problem: LayoutProblem, _ arrangements: [Int: Arrangement], _ reversed: Set<Int>) {
        (self.problem, self.arrangements, self.reversed) = (problem, arrangements, reversed)
        let nowhere = Rectangle(Point(0, 0), .zero)
        boxes = Array(repeating: nowhere, count: problem.boxes.count)
        frames = Array(repeating: nowhere, count: problem.frames.count)
        parts = Array(repeating: [], count: problem.links.count)
        place(frame: 0, at: Point(PictureMetrics.margin, PictureMetrics.margin))
    }

    private mutating func place(frame: Int, at origin: Point) {
        guard let arrangement = arrangements[frame] else { return }
        frames[frame] = Rectangle(origin, arrangement.size)
        for (kind, area) in arrangement.parts {
            switch kind {
            case .box(let box): boxes[box] = area.moved(by: origin)
            case .frame(let inner): place(frame: inner, at: area.moved(by: origin).origin)
            case .port, .bend, .label: break
            }
        }
        for (link, way) in arrangement.ways { parts[link].append(way.map { $0.moved(by: origin) }) }
        for (link, place) in arrangement.labels { labels[link] = place.moved(by: origin) }
    }

    func layout(_ size: Size) -> Layout {
        Layout(
            size: Size(size.width + 2 * PictureMetrics.margin, size.height + 2 * PictureMetrics.margin), boxes: boxes,
            frames: frames,
            routes: problem.links.indices.map(route))
    }

    /// All parts lead downwards, one after the other.
    private func route(_ number: Int) -> Layout.Route {
        let link = problem.links[number]
        if link.isLoop, case .box(let box) = link.from { return Loop.route(at: boxes[box], label: link.label) }
        let sorted = parts[number].sorted { ($0.first?.y ?? 0) < ($1.first?.y ?? 0) }
        let points = sorted.dropFirst().reduce(sorted.first ?? []) { $0 + $1.dropFirst() }
        return Layout.Route(points: reversed.contains(number) ? points.reversed() : points, label: labels[number])
    }
}

/// What leads from a box to itself, at its right side.
enum Loop {
    static let width = 26.0

    static func route(at box: Rectangle, label: Size) -> Layout.Route {
        let (middle, high) = (box.middle.y, min(9, box.size.height / 4))
        let (start, end) = (Point(box.right, middle - high), Point(box.right, middle + high))
        let far = box.right + width * 1.25
        return Layout.Route(
            points: [start, Point(far, middle - 2 * high), Point(far, middle + 2 * high), end],
            label: label.width > 0 ? Point(box.right + width + 3, middle - label.height / 2) : nil)
    }
}
