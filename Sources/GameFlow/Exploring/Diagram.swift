// A flow's graph as text, for programs that draw it.

extension FlowKind {
    /// The graph as the flow is written, or else as an exploration finds it.
    package final func drawn() throws -> FlowDrawing {
        if let drawing { return drawing() }
        let found = try exploration()
        return FlowDrawing(dot: found.dot, mermaid: found.mermaid)
    }
}

extension Exploration {
    /// For Graphviz.
    public var dot: String {
        var lines = ["digraph \(quoted(flow)) {"] + DotLook.lines + ["  start \(DotLook.dot); start -> \(quoted(initial));"]
        for state in states {
            let marks = [finals.contains(state) ? DotLook.final : nil, paths[state] == nil ? #"style="rounded,dashed""# : nil]
            let look = marks.compactMap { $0 }.joined(separator: ", ")
            lines.append("  \(quoted(state))\(look.isEmpty ? "" : " [\(look)]");")
        }
        for edge in edges { lines.append("  \(quoted(edge.from)) -> \(quoted(edge.to)) [label=\(quoted(" \(edge.step) "))];") }
        return (lines + ["}"]).joined(separator: "\n")
    }

    /// For Mermaid, which web pages and code hosts draw.
    public var mermaid: String {
        var lines = ["stateDiagram-v2", "  [*] --> \(initial)"]
        for state in states where paths[state] == nil { lines.append("  \(state)") }
        for edge in edges { lines.append("  \(edge.from) --> \(edge.to): \(edge.step)") }
        for state in states where finals.contains(state) { lines.append("  \(state) --> [*]") }
        return lines.joined(separator: "\n")
    }

    private func quoted(_ text: String) -> String {
        JSON.string(text).description
    }
}
