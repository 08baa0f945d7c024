// An explored flow as text for programs that draw it: no frames, and an arrow for each step that was seen.

import JSON

extension FlowGraph {
    var plainDot: String {
        var lines = ["digraph \(quoted(flow)) {"] + DotStyle.lines
        lines += states[0].beginnings.map { "  start \(DotStyle.dot); start -> \(quoted(states[$0].path));" }
        for state in listed {
            let marks = [state.kind == .final ? DotStyle.final : nil, state.isReached ? nil : #"style="rounded,dashed""#]
            let look = marks.compactMap { $0 }.joined(separator: ", ")
            lines.append("  \(quoted(state.path))\(look.isEmpty ? "" : " [\(look)]");")
        }
        for edge in edges {
            lines.append(
                "  \(quoted(states[edge.from].path)) -> \(quoted(states[edge.to].path)) [label=\(quoted(" \(edge.label) "))];")
        }
        return (lines + ["}"]).joined(separator: "\n")
    }

    var plainMermaid: String {
        var lines = ["stateDiagram-v2"] + states[0].beginnings.map { "  [*] --> \(states[$0].path)" }
        for state in listed where !state.isReached { lines.append("  \(state.path)") }
        for edge in edges { lines.append("  \(states[edge.from].path) --> \(states[edge.to].path): \(edge.label)") }
        for state in listed where state.kind == .final { lines.append("  \(state.path) --> [*]") }
        return lines.joined(separator: "\n")
    }

    private var listed: [State] { states.dropFirst().filter(\.isListed) }

    private func quoted(_ text: String) -> String {
        JSON.string(text).description
    }
}
