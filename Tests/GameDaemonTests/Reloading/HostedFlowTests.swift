// Work of RELOAD and DIAGRAM that runs off the loop.

import Diagrams
import GameFlow
import TestSupport
import Testing

@testable import Commands
@testable import GameDaemon

/// Queues texts until the test has them written.
private final class LaterRenderer: DiagramRenderer {
    var waiting: [() -> Void] = []

    func render(_ graph: FlowGraph, onDone: @escaping (Result<String, DiagramError>) -> Void) {}

    func write(_ text: @escaping @Sendable () -> String, onDone: @escaping (String) -> Void) {
        waiting.append { onDone(text()) }
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
}
