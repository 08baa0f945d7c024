// Flows as SVG: elements that it must and must not have.

import BuiltInFlows
import Statecharts
import GameFlow
import JSON
import Testing

@testable import Diagrams

@Suite struct `A diagram` {
    private func graph(_ text: String) throws -> FlowGraph {
        let file = FlowFile(bytes: Array(text.utf8), path: "x.json5")
        return try #require(file.definition, "\(file.report)").graph
    }

    private static let lamp = """
        {
          id: "lamp", initial: "off", context: { n: 0 },
          states: {
            off: { on: { press: [{ guard: "n < 3 and 'a' ~= \\"b\\"", target: "on" }, { target: "on" }], knock: { assign: { n: "n + 1" } } } },
            on: {
              initial: "dim", after: { "10s": "off" }, on: { press: "off", dimmer: ".dim" },
              states: { dim: { on: { more: "bright", again: "dim" } }, bright: { on: { more: "off" } }, last: { type: "history" }, out: { type: "final" } },
            },
          },
        }
        """

    private func elements(_ svg: String) -> [XMLCheck.Element] {
        let read = XMLCheck(svg)
        #expect(read.fault == nil, "\(read.fault ?? "")\n\(svg)")
        return read.elements
    }

    /// A state with more events within it than its box has lines.
    private static let busy = """
        { id: "busy", context: { n: 0 }, states: { a: { on: {
          one: N, two: N, three: N, four: N, five: N, six: N, seven: N, eight: N } } } }
        """.replacing("N", with: #"{ assign: { n: "n + 1" } }"#)

    @Test(arguments: [Self.lamp, Self.busy])
    func `A diagram has each state and edge of the graph exactly once, by its id`(text: String) throws {
        let graph = try graph(text)
        let ids = elements(try graph.svg()).compactMap { $0.attributes["id"] }
        let said = ["states", "edges"].flatMap { list -> [String] in
            guard case .array(let entries) = graph.json[list] else { return [] }
            return entries.compactMap { $0["id"]?.text }
        }
        #expect(ids.sorted() == said.sorted())
        #expect(Set(ids).count == ids.count)
    }

    @Test func `A graph's JSON has the source, target, event, timer and guard of each edge`() throws {
        guard case .array(let edges) = try graph(Self.lamp).json["edges"] else { return #expect(Bool(false), "no edges") }
        #expect(
            edges[0].description
                == #"{"id":"edge-0","from":"off","to":"on","event":"press","timer":null,"guard":"n < 3 and 'a' ~= \"b\"","label":"press [n < 3 and 'a' ~= \"b\"]","inner":false}"#
        )
        let timed = edges.first { $0["timer"]?.text != nil }
        #expect(timed?["label"]?.text == "after 10s" && timed?["event"] == .null && timed?["from"]?.text == "on")
        #expect(edges.contains { $0["from"]?.text == "on.dim" && $0["to"]?.text == "on.bright" && $0["event"]?.text == "more" })
    }

    @Test func `A diagram has no links, scripts or styles`() throws {
        for element in elements(try graph(Self.lamp).svg()) {
            #expect(["svg", "title", "g", "path", "rect", "circle", "text"].contains(element.name))
            for name in element.attributes.keys { #expect(name != "style" && !name.hasPrefix("on") && !name.contains("href")) }
        }
    }

    @Test(arguments: [
        "<script>alert(1)</script>", "\"quoted\" & 'so'", "\u{202E}turned", "a\u{0}b\u{FFFE}\u{1B}[31m", "]]>", "<!--", "&amp;",
        "",
        String(repeating: "👩‍👧", count: 10), String(repeating: "🎲", count: 63), String(repeating: "long ", count: 1_000),
    ])
    func `A diagram with any name is well-formed`(name: String) throws {
        let root = FlowGraph.State(name: name, path: "", kind: .compound, parent: nil, children: [1, 2], beginnings: [1])
        let frame = FlowGraph.State(name: name, path: name, kind: .compound, parent: 0, children: [3], beginnings: [3])
        let leaf = FlowGraph.State(name: name, path: name, kind: .final, parent: 0)
        let inner = FlowGraph.State(name: name, path: name, kind: .atomic, parent: 1)
        let edges = [(1, 2), (2, 3), (3, 3), (0, 2)].map {
            FlowGraph.Edge(from: $0.0, to: $0.1, event: name, timer: name, condition: name, label: name)
        }
        let svg = try FlowGraph(flow: name, origin: .written, states: [root, frame, leaf, inner], edges: edges).svg()
        let names = Set(elements(svg).map(\.name))
        #expect(names.isSubset(of: ["svg", "title", "g", "path", "rect", "circle", "text"]))
        #expect(!svg.unicodeScalars.contains("\u{202E}") && svg.utf8.count < 40_000)
    }

    @Test func `A diagram of each built-in flow is well-formed`() throws {
        let kinds: [FlowKind] = [
            .flow(Game.self), .flow(Startup.self), .flow(Registration.self), .flow(Onboarding.self), .flow(Permissions.self),
            .flow(Turns.self),
        ]
        for kind in kinds {
            let ids = elements(try kind.graph().svg()).compactMap { $0.attributes["id"] }
            #expect(ids.contains("state-1") && ids.contains("edge-0") && !ids.contains("state-0"))
        }
    }

    @Test func `An arrow of a diagram has six labels at most, and an element for each of its edges`() throws {
        func graph(_ count: Int) -> FlowGraph {
            let root = FlowGraph.State(name: "many", path: "", kind: .compound, parent: nil, children: [1, 2], beginnings: [1])
            let states = ["a", "b"].map { FlowGraph.State(name: $0, path: $0, kind: .atomic, parent: 0) }
            // Equal labels are shown once.
            let edges = (0..<count).flatMap { number in
                (0..<2).map { _ in FlowGraph.Edge(from: 1, to: 2, event: "e\(number)", label: "e\(number)") }
            }
            return FlowGraph(flow: "many", origin: .written, states: [root] + states, edges: edges)
        }
        func labels(_ count: Int) throws -> (Int, hasMore: Bool) {
            let svg = try graph(count).svg()
            let all = elements(svg)
            #expect(all.count { $0.attributes["class"] == "edge" } == 2 * count)
            #expect(svg.contains(">e0<") && svg.contains(">e5<") && !svg.contains(">e6<"))
            return (all.count { $0.attributes["class"] == "label" }, svg.contains(">…<"))
        }
        #expect(try labels(6) == (6, false))
        #expect(try labels(1_000) == (7, true))
    }

    @Test(.timeLimit(.minutes(1)))
    func `A chart of thousands of frames and arrows is written as DOT and Mermaid with one look at each arrow`() {
        let (graph, leaves) = Self.deep(chains: 300, depth: 16)
        var all = graph
        for (index, leaf) in leaves.enumerated() {
            for step in 1...16 {
                all.edges.append(FlowGraph.Edge(from: leaf, to: leaves[(index + step) % leaves.count], label: "go"))
            }
        }
        let words = (graph.edges.count, all.edges.count)
        func lines(_ text: String, _ mark: String) -> [Substring] {
            text.split(separator: "\n").filter { $0.contains(mark) }
        }
        #expect(words == (4_800, 9_600))
        #expect(lines(all.dot, "[label=\"into\"").count == words.0 && lines(all.dot, "[label=\"go\"").count == 4_800)
        #expect(lines(all.mermaid, "[\"into\"]").count == words.0 && lines(all.mermaid, "|\"go\"|").count == 4_800)
        // The word of an arrow from a frame stands in that frame.
        let small = lines(Self.deep(chains: 1, depth: 2).graph.dot, "[label=\"into\"")
        #expect(small.map { line in line.prefix { $0 == " " }.count } == [4, 6])
    }

    /// Chains of frames in frames, each with an arrow to the leaf in the innermost of them; and the leaves.
    private static func deep(chains: Int, depth: Int) -> (graph: FlowGraph, leaves: [Int]) {
        var states = [FlowGraph.State(name: "deep", path: "", kind: .compound, parent: nil)]
        var (leaves, edges): ([Int], [FlowGraph.Edge]) = ([], [])
        for chain in 0..<chains {
            var (parent, path) = (0, "s\(chain)")
            for level in 0...depth {
                let kind: FlowGraph.State.Kind = level < depth ? .compound : .atomic
                states[parent].children.append(states.count)
                states.append(FlowGraph.State(name: "s", path: path, kind: kind, parent: parent))
                (parent, path) = (states.count - 1, path + ".s")
            }
            leaves.append(parent)
            edges += (parent - depth..<parent).map { FlowGraph.Edge(from: $0, to: parent, label: "into") }
        }
        return (FlowGraph(flow: "deep", origin: .written, states: states, edges: edges), leaves)
    }

    @Test func `A diagram of too many states is refused, and the error suggests DOT or MERMAID`() {
        let states = [
            FlowGraph.State(name: "many", path: "", kind: .compound, parent: nil, children: Array(1...3_000), beginnings: [1])
        ]
        let others = (1...3_000).map { FlowGraph.State(name: "s\($0)", path: "s\($0)", kind: .atomic, parent: 0) }
        let graph = FlowGraph(flow: "many", origin: .explored, states: states + others, edges: [])
        let error = #expect(throws: DiagramError.self) { try graph.svg() }
        #expect(
            error?.description
                == "a picture has 2000 states and 6000 arrows at most, and 'many' has 3001 and 0; DIAGRAM draws it as DOT or MERMAID"
        )
    }
}
