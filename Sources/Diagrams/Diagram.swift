// A flow's diagram as SVG: what it consists of, where that stands, and how it is drawn.

import GameFlow

package struct Diagram: Sendable {
    package let picture: Picture

    /// Throws if the flow is too large for a picture.
    package init(of graph: FlowGraph) throws(DiagramError) {
        picture = try Picture(graph)
    }

    /// The picture in a layout of our own.
    package func svg() throws(DiagramError) -> String {
        svg(in: try LayeredLayout.layout(of: picture.problem))
    }

    package func svg(in layout: Layout) -> String {
        PictureDrawing.svg(of: picture, in: layout)
    }
}
