// The input of a layout: boxes of known sizes, in nested frames, and links between them. It knows no flow and no text.

package struct LayoutProblem: Sendable {
    package struct Box: Sendable {
        package let size: Size
        /// The frame that contains it.
        package let frame: Int
        /// Its place in the document, among boxes and frames.
        package let order: Int
    }

    package struct Frame: Sendable {
        /// Nil for the outermost.
        package let parent: Int?
        package let title: Size
        package let order: Int
        /// Whether a border is drawn around it.
        package let isVisible: Bool
    }

    package enum End: Sendable, Hashable {
        case box(Int)
        case frame(Int)
    }

    package struct Link: Sendable {
        /// Neither end is inside the other. Only a box is linked to itself.
        package let from: End
        package let to: End
        /// Zero for none.
        package let label: Size

        package var isLoop: Bool { from == to }
        package var hasLabel: Bool { label.width > 0 }
    }

    package var boxes: [Box] = []
    /// Each after the one that contains it; the first is the outermost.
    package var frames: [Frame] = []
    package var links: [Link] = []

    /// The frame that contains an end.
    func home(of end: End) -> Int? {
        switch end {
        case .box(let box): boxes[box].frame
        case .frame(let frame): frames[frame].parent
        }
    }

    func order(of end: End) -> Int {
        switch end {
        case .box(let box): boxes[box].order
        case .frame(let frame): frames[frame].order
        }
    }
}

/// The positions of everything.
package struct Layout: Sendable {
    /// A link's way: cubic Bézier curves, the first point followed by three for each curve.
    package struct Route: Sendable {
        package var points: [Point]
        /// The left upper corner of its label.
        package var label: Point?
    }

    package var size: Size
    package var boxes: [Rectangle]
    package var frames: [Rectangle]
    package var routes: [Route]
}

/// Why there is no picture, in a sentence.
package struct DiagramError: Error, CustomStringConvertible {
    package let description: String
}

// MARK: - The nesting of frames

extension LayoutProblem {
    /// The smallest frame that contains both ends.
    func smallestFrame(around one: End, _ other: End) -> Int {
        let around = Set(frames(around: one))
        return frames(around: other).first(where: around.contains) ?? 0
    }

    /// From the innermost.
    private func frames(around end: End) -> [Int] {
        home(of: end).map { Array(sequence(first: $0) { frames[$0].parent }) } ?? []
    }

    /// The box or frame directly in the frame that is the end, or contains it.
    func part(of frame: Int, with end: End) -> End {
        var part = end
        while let home = home(of: part), home != frame { part = .frame(home) }
        return part
    }
}

// MARK: - Points and sizes, in pixels; y grows downwards

package struct Point: Sendable, Equatable {
    package var x: Double
    package var y: Double

    package init(_ x: Double, _ y: Double) {
        self.x = x
        self.y = y
    }

    func moved(by offset: Point) -> Point { Point(x + offset.x, y + offset.y) }
}

package struct Size: Sendable, Equatable {
    package var width: Double
    package var height: Double

    package static let zero = Size(0, 0)

    package init(_ width: Double, _ height: Double) {
        self.width = width
        self.height = height
    }
}

package struct Rectangle: Sendable, Equatable {
    package var origin: Point
    package var size: Size

    package init(_ origin: Point, _ size: Size) {
        self.origin = origin
        self.size = size
    }

    package var left: Double { origin.x }
    package var right: Double { origin.x + size.width }
    package var top: Double { origin.y }
    package var bottom: Double { origin.y + size.height }
    package var middle: Point { Point(origin.x + size.width / 2, origin.y + size.height / 2) }

    func moved(by offset: Point) -> Rectangle { Rectangle(origin.moved(by: offset), size) }
}
