// The languages in which a flow's graph can be drawn.

package enum DiagramLanguage: String, CaseIterable, Sendable {
    case dot, mermaid, svg

    /// In letters of any size.
    package init?(_ word: String) {
        self.init(rawValue: word.lowercased())
    }
}
