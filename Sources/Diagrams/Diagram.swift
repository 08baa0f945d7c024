// A flow's diagram as SVG: its picture, its layout, and its drawing.

import GameFlow

extension FlowGraph {
    /// Throws if the flow is too large for a picture.
    package func svg() throws(DiagramError) -> String {
        let picture = try Picture(self)
        return SVGRenderer.svg(of: picture, in: try LayeredLayout.layout(of: picture.problem))
    }
}

// MARK: - The languages in which a flow's graph can be drawn.

package enum DiagramLanguage: String, CaseIterable, Sendable {
    case dot, mermaid, svg

    /// In letters of any size.
    package init?(_ word: String) {
        self.init(rawValue: word.lowercased())
    }
}
