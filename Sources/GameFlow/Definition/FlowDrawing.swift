// A flow's graph as text, as far as a flow can tell it without being explored.

/// The graph in each of the languages.
package struct FlowDrawing: Sendable {
    package let dot: String
    package let mermaid: String

    package init(dot: String, mermaid: String) {
        self.dot = dot
        self.mermaid = mermaid
    }
}
