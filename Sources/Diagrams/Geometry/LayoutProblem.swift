// What a layout is asked: boxes of known sizes, in frames that stand in each other, and links between them. It knows no flow and no text.

package struct LayoutProblem: Sendable {
    package struct Box: Sendable {
        package let size: Size
        /// The frame that it stands in.
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
        /// Neither end is inside of the other. Only a box is linked to itself.
        package let from: End
        package let to: End
        /// Zero for none.
        package let label: Size

        package var isLoop: Bool { from == to }
        package var hasLabel: Bool { label.width > 0 }
    }

    package var boxes: [Box] = []
    /// Each after the one that it stands in; the first is the outermost.
    package var frames: [Frame] = []
    package var links: [Link] = []

    package init() {}

    /// The frame that an end stands in.
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

/// Where everything stands.
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
