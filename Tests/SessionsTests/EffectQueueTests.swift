// The queue of effects, tested without sessions.

import Testing
@testable import Sessions

@Suite struct `The queue of effects` {
    private let ann = SessionReference(slot: 1, life: 1)
    private let bob = SessionReference(slot: 2, life: 1)

    /// Returns the jobs in the order in which they run, as `ann effect`.
    private func run(_ queue: inout EffectQueue, onlyUnsaved: Bool = false) -> [String] {
        var done: [String] = []
        while let entry = queue.begin(onlyUnsaved: onlyUnsaved) {
            let what =
                switch entry.job {
                case .effect: "effect"
                case .checkCompletion: "check"
                case .deliver(let notice): notice.event
                case .report(let update): update.id
                case .failure: "failure"
                }
            done.append((entry.session == ann ? "ann " : "bob ") + what)
            queue.end()
        }
        return done
    }

    @Test func `Jobs run in the order in which they were added, saved or not`() {
        var queue = EffectQueue()
        queue.addEffects(2, of: ann)
        queue.add(.checkCompletion, for: bob)
        queue.addEffects(1, of: bob)
        queue.add(.deliver(Notice(event: "news", data: [:], problem: nil)), for: ann)
        let (done, isEmpty) = (run(&queue), queue.isEmpty)
        #expect(done == ["ann effect", "ann effect", "bob check", "bob effect", "ann news"] && isEmpty)
    }

    @Test func `A full turn runs only jobs that are not saved with their session, and leaves the others queued`() {
        var queue = EffectQueue()
        queue.addEffects(1, of: ann)
        queue.add(.checkCompletion, for: bob)
        let (first, isEmpty, second) = (run(&queue, onlyUnsaved: true), queue.isEmpty, run(&queue))
        #expect(first == ["bob check"] && !isEmpty && second == ["ann effect"])
    }

    @Test func `Effects that are in the queue already are not added again`() {
        var queue = EffectQueue()
        queue.addEffects(2, of: ann)
        queue.addEffects(3, of: ann)
        queue.addEffects(1, of: ann)
        let first = run(&queue)
        #expect(first == ["ann effect", "ann effect", "ann effect"])
        queue.addEffects(1, of: ann)
        let second = run(&queue)
        #expect(second == ["ann effect"], "effects that were performed do not count")
    }

    @Test func `All messages caused by one step share a limit, which is reported as reached once`() {
        var queue = EffectQueue()
        queue.addEffects(1, of: ann)
        var limits: [EffectQueue.ChainLimit] = []
        for _ in 0..<6 {
            guard queue.begin() != nil else { break }
            limits.append(queue.count(atMost: 4))
            // Each leads to the next.
            queue.add(.checkCompletion, for: bob)
            queue.end()
        }
        #expect(limits == [.below, .below, .below, .below, .reached, .exceeded])
        _ = run(&queue)
        queue.addEffects(1, of: ann)
        _ = queue.begin()
        let limit = queue.count(atMost: 4)
        #expect(limit == .below, "a new step has a limit of its own")
    }

    @Test func `A message from another shard carries the count of the steps that led to it`() {
        var queue = EffectQueue()
        queue.incomingSteps = 7
        var steps = [queue.steps]
        queue.add(.checkCompletion, for: ann)
        queue.incomingSteps = 0
        _ = queue.begin()
        steps.append(queue.steps)
        let limit = queue.count(atMost: 7)
        queue.end()
        steps.append(queue.steps)
        #expect(steps == [7, 7, 0] && limit == .reached)
    }
}
