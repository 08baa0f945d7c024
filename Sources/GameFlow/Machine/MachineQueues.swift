// Events that wait: for the end of the step that is under way, or for another state.

extension Machine {
    @usableFromInline
    func enqueue(_ event: QueuedEvent<F.Event>) throws(Refusal) -> Outcome {
        let extras = makeExtras()
        guard extras.queue.count < Self.mostQueued else {
            throw .tooMany("\(Self.mostQueued) events wait for this session already")
        }
        extras.queue.append(event)
        return .queued
    }

    @usableFromInline
    func postpone(_ event: QueuedEvent<F.Event>) throws(Refusal) -> Outcome {
        let extras = makeExtras()
        guard extras.postponed.count < Self.mostPostponed else {
            throw .tooMany("\(Self.mostPostponed) events are put off already until the state changes")
        }
        extras.postponed.append(event)
        return .postponed
    }

    /// Handles what has come meanwhile: first what was put off and can be offered again, then what queued.
    @usableFromInline
    func settle() {
        guard let extras else { return }
        while phase == .idle, let next = nextWaiting(extras) {
            if let timer = next.timer, !timekeeper.isAlive(timer) { continue }
            do throws(Refusal) {
                _ = try handle(next.event, next.cause)
            } catch {
                tell(error, of: next.event, next.cause)
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
