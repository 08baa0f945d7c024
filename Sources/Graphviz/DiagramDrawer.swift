// Draws flows: in the layout of Graphviz' `dot` where that is installed, and in our own where it is missing, takes too long or fails. It may
// wait for another process, so it is not for the loop's thread.

import Diagrams
import GameFlow
import Posix
import Synchronization

package final class DiagramDrawer: Sendable {
    /// How long dot may take.
    private let patience: Duration
    /// Holds the dot that runs.
    private let leash = Mutex(ChildLeash())
    /// Until when dot is left alone, since it has disappointed.
    private let avoided = Mutex<ContinuousClock.Instant?>(nil)

    private let isEnded = Mutex(false)

    private static let mostBytes = 4 << 20
    private static let avoidance = Duration.seconds(60)

    package init(patience: Duration = .seconds(3)) {
        self.patience = patience
    }

    /// Throws if the flow is too large for a picture.
    package func svg(of graph: FlowGraph) throws(DiagramError) -> String {
        let diagram = try Diagram(of: graph)
        if let layout = dotLayout(diagram.picture.problem) { return diagram.svg(in: layout) }
        return try diagram.svg()
    }

    private func dotLayout(_ problem: LayoutProblem) -> Layout? {
        guard problem.suitsDot, !isAvoided else { return nil }
        do throws(ChildProcess.Failure) {
            let leash = newLeash()
            let answer = try ChildProcess.answer(
                of: ["dot", "-Tjson0"], to: Array(problem.dotQuestion.utf8), within: patience, mostBytes: Self.mostBytes,
                on: leash)
            return Layout(dotAnswer: String(decoding: answer, as: UTF8.self), to: problem)
        } catch {
            // One that hangs would hang again: others wait for their pictures.
            avoided.withLock { $0 = .now + Self.avoidance }
            return nil
        }
    }

    private func newLeash() -> ChildLeash {
        leash.withLock { leash in
            if !isEnded.withLock({ $0 }) { leash = ChildLeash() }
            return leash
        }
    }

    /// Ends what runs; nothing is started any more.
    package func end() {
        isEnded.withLock { $0 = true }
        leash.withLock { $0.cut() }
    }

    private var isAvoided: Bool { avoided.withLock { $0.map { $0 > .now } ?? false } }
}
