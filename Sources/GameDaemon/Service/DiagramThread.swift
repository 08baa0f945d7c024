// Diagrams are drawn on a thread of their own, one at a time, and handed to the loop through its waker.

import Commands
import Diagrams
import Dispatch
import EventLoop
import GameFlow
import Synchronization
import Timers

final class DiagramThread: DiagramRenderer {
    private let queue = DispatchQueue(label: "gamed.diagrams", qos: .utility)
    private let shelf = DiagramShelf()
    private var watch: WakerWatch?
    /// Texts are written beside the drawing of pictures, which can take seconds.
    private let texts = DispatchQueue(label: "gamed.diagrams.texts", qos: .utility)
    /// By the number of the picture or text.
    private var waiting: [Int: Completions<Result<String, DiagramError>>] = [:]
    private var count = 0

    init(on loop: Loop) throws(LoopFailure) {
        watch = try WakerWatch(on: loop) { [unowned self] in takeAll() }
    }

    func render(_ graph: FlowGraph, onDone: @escaping (Result<String, DiagramError>) -> Void) {
        guard let waker = watch?.waker else { return }
        count += 1
        waiting[count] = Completions(onDone)
        queue.async { [shelf, count] in
            let drawn = Result { () throws(DiagramError) in try graph.svg() }
            shelf.drawn.withLock { $0.append((count, drawn)) }
            waker.wake()
        }
    }

    func write(_ text: @escaping @Sendable () -> String, onDone: @escaping (String) -> Void) {
        guard let waker = watch?.waker else { return }
        count += 1
        waiting[count] = Completions { if case .success(let text) = $0 { onDone(text) } }
        texts.async { [shelf, count] in
            let written = text()
            shelf.drawn.withLock { $0.append((count, .success(written))) }
            waker.wake()
        }
    }

    private func takeAll() {
        for (number, drawn) in shelf.drawn.withLock({ $0.drain() }) {
            waiting.removeValue(forKey: number)?.complete(with: drawn)
        }
    }
}

/// Diagrams that the thread has drawn and the loop has not collected yet.
private final class DiagramShelf: Sendable {
    let drawn = Mutex<[(Int, Result<String, DiagramError>)]>([])
}

extension Array {
    fileprivate mutating func drain() -> Self {
        defer { self = [] }
        return self
    }
}
