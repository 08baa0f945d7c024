// Events that wait: for the end of the step that is under way, or for another state.

extension Machine {
    @usableFromInline
    func enqueue(_ event: QueuedEvent<F.Event>) throws(Refusal) -> Outcome {
        let extras = makeExtras()
        guard extras.queue.count < Self.mostQueued else {
            throw .tooMany("\(Self.mostQueued) events wait for this session already")
        }
        extras.queue.append(withWords(event))
        return .queued
    }

    @usableFromInline
    func postpone(_ event: QueuedEvent<F.Event>) throws(Refusal) -> Outcome {
        let extras = makeExtras()
        guard extras.postponed.count < Self.mostPostponed else {
            throw .tooMany("\(Self.mostPostponed) events are put off already until the state changes")
        }
        extras.postponed.append(withWords(event))
        return .postponed
    }

    /// The words that came with it wait with it.
    private func withWords(_ event: QueuedEvent<F.Event>) -> QueuedEvent<F.Event> {
        var event = event
        event.said = takeSaid(event.cause)
        return event
    }

    /// Handles what has come meanwhile: first what was put off and can be offered again, then what queued.
    @usableFromInline
    func settle() {
        guard let extras else { return }
        while phase == .idle, let next = nextWaiting(extras) {
            if let timer = next.timer, !timekeeper.isAlive(timer) { continue }
            do throws(Refusal) {
                _ = try saying(next.said, next.cause) { () throws(Refusal) in try handle(next.event, next.cause) }
            } catch {
                tell(error, of: next.event, next.cause, saying: next.said)
            }
        }
    }

    private func nextWaiting(_ extras: MachineExtras<F>) -> QueuedEvent<F.Event>? {
        if extras.stateHasChanged {
            extras.stateHasChanged = false
            extras.queue.insert(contentsOf: extras.postponed, at: 0)
            extras.postponed = []
        }
        return extras.queue.isEmpty ? nil : extras.queue.removeFirst()
    }
}
