// The pictures of the daemon's flows: each is made once, off the loop, and concurrent requests wait for the same one.

import Diagrams
import GameFlow
import RESP

/// Makes pictures without holding up the loop.
package protocol DiagramRenderer: AnyObject {
    /// Draws the graph, which it makes beside the loop too, and calls `onDone` in a later turn.
    func render(_ graph: @escaping @Sendable () -> FlowGraph, onDone: @escaping (Result<String, DiagramError>) -> Void)
    /// Writes a text, and calls `onDone` in a later turn.
    func write(_ text: @escaping @Sendable () -> String, onDone: @escaping (String) -> Void)
}

package final class FlowDiagrams {
    /// Nil where there is no loop: then pictures are made at once.
    package var renderer: (any DiagramRenderer)?
    /// Pictures that exist, the oldest first.
    private var made: [WeakPicture] = []
    private static let maxBytes = 16 << 20

    /// What `text` makes of the flow's graph, which takes long for a large one; `onDone` is called in a later turn.
    package func text(
        of flow: FlowKind, _ text: @escaping @Sendable (FlowGraph) -> String,
        onDone: @escaping (Result<String, CommandError>) -> Void
    ) {
        do throws(CommandError) {
            let graph = try maker(ofGraphOf: flow)
            guard let renderer else { return onDone(.success(text(graph()))) }
            renderer.write({ text(graph()) }, onDone: { onDone(.success($0)) })
        } catch {
            onDone(.failure(error))
        }
    }

    /// Makes the flow's graph beside the loop. Only an exploration is made at once, since it runs the flow's code.
    private func maker(ofGraphOf flow: FlowKind) throws(CommandError) -> @Sendable () -> FlowGraph {
        if let written = flow.written { return { written.graph } }
        let known = try graph(of: flow)
        return { known }
    }

    /// The flow's graph, as its file has it or as an exploration finds it.
    package func graph(of flow: FlowKind) throws(CommandError) -> FlowGraph {
        do {
            return try flow.graph()
        } catch {
            throw CommandError(.generic, "the flow cannot be explored: \(error)")
        }
    }

    /// The flow's picture; `onDone` is called at once where it is known, and else in a later turn.
    package func svg(of flow: FlowKind, onDone: @escaping (Result<String, CommandError>) -> Void) {
        let picture = flow.picture as? FlowPicture ?? FlowPicture()
        flow.picture = picture
        if let svg = picture.svg { return onDone(.success(svg)) }
        picture.waiting.add(onDone)
        if picture.waiting.count == 1 { draw(flow, picture) }
    }

    private func draw(_ flow: FlowKind, _ picture: FlowPicture) {
        do throws(CommandError) {
            let graph = try maker(ofGraphOf: flow)
            guard let renderer else { return finish(picture, Self.drawn(graph())) }
            renderer.render(graph) { [weak self] in self?.finish(picture, $0) }
        } catch {
            picture.waiting.takeAll().complete(with: .failure(error))
        }
    }

    private static func drawn(_ graph: FlowGraph) -> Result<String, DiagramError> {
        Result { () throws(DiagramError) in try graph.svg() }
    }

    private func finish(_ picture: FlowPicture, _ result: Result<String, DiagramError>) {
        if case .success(let svg) = result {
            picture.svg = svg
            made.append(WeakPicture(picture: picture))
            forgetOldest()
        }
        picture.waiting.takeAll().complete(with: result.mapError { CommandError(.generic, $0.description) })
    }

    /// A flow's picture goes with its kind; of those that are left, the oldest go where they are too much.
    private func forgetOldest() {
        made.removeAll { $0.picture == nil }
        var bytes = made.reduce(0) { $0 + ($1.picture?.svg?.utf8.count ?? 0) }
        while bytes > Self.maxBytes, let oldest = made.first {
            bytes -= oldest.picture?.svg?.utf8.count ?? 0
            oldest.picture?.svg = nil
            made.removeFirst()
        }
    }
}

/// The picture of one definition of a flow.
private final class FlowPicture {
    var svg: String?
    var waiting = Completions<Result<String, CommandError>>()
}

private struct WeakPicture {
    weak var picture: FlowPicture?
}
