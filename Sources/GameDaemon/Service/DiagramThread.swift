// Diagrams are drawn off the loop, one at a time. Texts are written beside that, since a large picture takes seconds.

import Commands
import Diagrams
import Dispatch
import EventLoop
import GameFlow

final class DiagramThread: DiagramRenderer {
    private let pictures: LoopWork<Result<String, DiagramError>>
    private let texts: LoopWork<String>

    init(on loop: Loop) throws(LoopFailure) {
        pictures = try LoopWork(on: loop, DispatchQueue(label: "gamed.diagrams", qos: .utility))
        texts = try LoopWork(on: loop, DispatchQueue(label: "gamed.diagrams.texts", qos: .utility))
    }

    func render(_ graph: @escaping @Sendable () -> FlowGraph, onDone: @escaping (Result<String, DiagramError>) -> Void) {
        pictures.run({ Result { () throws(DiagramError) in try graph().svg() } }, onDone: onDone)
    }

    func write(_ text: @escaping @Sendable () -> String, onDone: @escaping (String) -> Void) {
        texts.run(text, onDone: onDone)
    }
}
