// A layout problem for Graphviz' `dot`: sizes and numbers only. No name of a flow is in it, so there is nothing to escape.

extension LayoutProblem {
    /// Whether dot lays it out better than we do, and soon: it has no arrows at frames, but cuts them where they cross a border, and leaves
    /// their labels inside.
    package var suitsDot: Bool { frames.count == 1 && !frames[0].isVisible && boxes.count <= 300 && links.count <= 900 }

    /// What `dot -Tjson0` reads.
    package var dotQuestion: String {
        (["digraph {"] + Self.look + boxes.indices.map(dotBox) + links.indices.map(dotLink) + ["}"]).joined(separator: "\n")
    }

    private static let look = [
        "graph [rankdir=TB, nodesep=0.35, ranksep=0.3];",
        #"node [shape=box, fixedsize=true, label=""]; edge [arrowhead=none];"#,
    ]

    private func dotBox(_ number: Int) -> String {
        let size = boxes[number].size
        return "n\(number) [width=\(inches(size.width)), height=\(inches(size.height))];"
    }

    private func dotLink(_ number: Int) -> String {
        let link = links[number]
        guard case .box(let from) = link.from, case .box(let to) = link.to else { return "" }
        let label = link.hasLabel ? ", label=\(room(Size(link.label.width + 8, link.label.height)))" : ""
        return "n\(from) -> n\(to) [id=\"e\(number)\"\(label)];"
    }

    /// A label without words.
    private func room(_ size: Size) -> String {
        let (width, height) = (Int(size.width.rounded(.up)), Int(size.height.rounded(.up)))
        return
            #"<<table border="0" cellborder="0" cellspacing="0" cellpadding="0" fixedsize="true" width="\#(width)" height="\#(height)"><tr><td></td></tr></table>>"#
    }

    /// Of pixels, to thousandths.
    private func inches(_ pixels: Double) -> String {
        let parts = Int((pixels / 72 * 1_000).rounded())
        let rest = String(parts % 1_000)
        return "\(parts / 1_000)." + String(repeating: "0", count: 3 - rest.count) + rest
    }
}
