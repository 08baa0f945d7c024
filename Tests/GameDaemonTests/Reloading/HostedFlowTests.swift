// Work of RELOAD and DIAGRAM that runs off the loop.

import Diagrams
import GameFlow
import Synchronization
import TestSupport
import Testing

@testable import Commands
@testable import GameDaemon

/// Queues texts and pictures until the test has them made.
private final class LaterRenderer: DiagramRenderer {
    var waiting: [() -> Void] = []

    func render(_ graph: @escaping @Sendable () -> FlowGraph, onDone: @escaping (Result<String, DiagramError>) -> Void) {
        waiting.append { onDone(Result { () throws(DiagramError) in try graph().svg() }) }
    }

    func write(_ text: @escaping @Sendable () -> String, onDone: @escaping (String) -> Void) {
        waiting.append { onDone(text()) }
    }
}

/// Counts how often its graph is made.
private final class CountedGraph: WrittenFlow {
    let made = Mutex(0)

    var graph: FlowGraph {
        made.withLock { $0 += 1 }
        let root = FlowGraph.State(name: "counted", path: "", kind: .compound, parent: nil, children: [1], beginnings: [1])
        let state = FlowGraph.State(name: "a", path: "a", kind: .atomic, parent: 0)
        return FlowGraph(flow: "counted", origin: .written, states: [root, state], edges: [])
    }
}

@Suite struct `Large flows` {
    private func kind() throws -> FlowKind {
        try .chart(text: "{ id: 'door', initial: 'a', states: { a: { on: { go: 'b' } }, b: {} } }")
    }

    @Test func `Large flows are compared with hosted flows by name and fingerprint alone`() throws {
        let kind = try kind()
        let hosted = HostedFlows([kind])
        #expect(hosted.ofFiles == ["door"] && hosted.fingerprints["door"] == kind.origin?.fingerprint)
        #expect(FlowFileSet(reading: [], besides: []).changes(from: hosted, nil).gone == ["door"])
        #expect(FlowFileSet(reading: [], besides: []).changes(from: HostedFlows([]), nil).gone == [])
    }

    @Test func `Diagrams of large flows are written off the loop`() throws {
        let (diagrams, renderer) = (FlowDiagrams(), LaterRenderer())
        diagrams.renderer = renderer
        var text: String?
        diagrams.text(of: try kind(), \.mermaid) { text = try? $0.get() }
        #expect(text == nil && renderer.waiting.count == 1)
        for write in renderer.waiting { write() }
        #expect(text?.contains("door") == true || text?.contains("go") == true)
    }

    @Test func `The graph of a large flow's picture is made off the loop`() throws {
        let (diagrams, renderer, kind, written) = (FlowDiagrams(), LaterRenderer(), try kind(), CountedGraph())
        diagrams.renderer = renderer
        kind.written = written
        var svg: String?
        for _ in 0..<2 { diagrams.svg(of: kind) { svg = try? $0.get() } }
        #expect(svg == nil && renderer.waiting.count == 1 && written.made.withLock { $0 } == 0)
        for draw in renderer.waiting { draw() }
        #expect(svg?.contains("counted") == true && written.made.withLock { $0 } == 1)
    }
}
