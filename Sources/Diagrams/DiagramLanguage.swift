// What a flow's graph can be drawn as.

package enum DiagramLanguage: String, Sendable {
    case dot = "DOT"
    case mermaid = "MERMAID"
    case svg = "SVG"

    /// In letters of any size.
    package init?(_ word: String) {
        self.init(rawValue: word.uppercased())
    }
}
