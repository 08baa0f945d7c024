// Asynchronous hooks and states' work. Both run on the kind's executor, on the loop's thread.

import Timers

/// Carries a reference into a task that runs on the machine's own thread.
private struct SameThread<Value>: @unchecked Sendable {
    let value: Value
}

private final class WeakBox<Object: AnyObject> {
    weak var object: Object?

    init(_ object: Object) {
        self.object = object
    }
}

extension Machine {
    // MARK: Asynchronous hooks

    /// Runs the asynchronous hooks one after the other. Until they return, events queue.
    @usableFromInline
    func wait(_ candidate: F.State, _ event: F.Event, _ cause: HistoryEntry.Cause) -> Outcome {
        phase = .waiting
        let step = PendingStep<F>(candidate: candidate, event: event, cause: cause, payload: takePayload(cause))
        let extras = makeExtras()
        extras.pending = step
        hold(step.payload)
        if extras.offered?.told == .waiting {
            kind.watcher?.keep(self)
        } else {
            record(.waiting, of: event, cause, carrying: step.payload)
        }
        let change = Change(
            from: stateName, to: candidate.name, event: event, source: cause.source, at: timekeeper.now, since: since,
            version: version &+ 1)
        let (hooks, name) = (typed.definition.asyncBeforeHooks, sessionName)
        let me = SameThread(value: (machine: WeakBox(self), step: WeakBox(step)))
        step.task = Task(executorPreference: executor) {
            var objection: (any Error)?
            do {
                for hook in hooks { try await hook(change, name) }
            } catch {
                objection = error
            }
            guard !Task.isCancelled, let step = me.value.step.object else { return }
            me.value.machine.object?.finish(step, objection)
        }
        return .waiting
    }

    private func finish(_ step: PendingStep<F>, _ objection: (any Error)?) {
        guard phase == .waiting, extras?.pending === step else { return }
        withFlightMark(.work) { conclude(step, objection) }
    }

    private func conclude(_ step: PendingStep<F>, _ objection: (any Error)?) {
        extras?.pending = nil
        release(step.payload)
        phase = .handling
        timekeeper.beginStep()
        if let objection {
            drop(step, .vetoed(FlowError.words(for: objection)))
        } else {
            _ = try? carrying(step.payload, step.cause) { () throws(Refusal) in
                commit(step.candidate, step.event, step.cause)
                return .taken
            }
            step.receipt?.complete(with: .success(.taken))
        }
        phase = .idle
        drainQueue()
    }

    /// The step does not count after all.
    private func drop(_ step: PendingStep<F>, _ refusal: Refusal) {
        stopTimersLeftBehind()
        record(refusal, of: step.event, step.cause, carrying: step.payload)
        kind.watcher?.keep(self)
        step.receipt?.complete(with: .failure(refusal))
    }

    /// Cancels the hooks and drops their step, for this reason.
    func abandonWait(_ refusal: Refusal) {
        guard phase == .waiting, let step = extras?.pending else { return }
        step.task?.cancel()
        release(step.payload)
        extras?.pending = nil
        phase = .idle
        drop(step, refusal)
    }

    // MARK: The work of a state

    /// Cancels the work of the old state, and begins that of the new one.
    @usableFromInline
    func enterStay() {
        let extras = makeExtras()
        extras.stateHasChanged = true
        extras.stay += 1
        for task in extras.work { task.cancel() }
        let name = sessionName
        extras.work =
            typed.hasStateWork
            ? typed.definition.orchestrators.compactMap { $0(state, name) }.map { begin($0, extras.stay) } : []
    }

    private func begin(_ work: @escaping @Sendable (EventSender<F.Event>) async -> Void, _ stay: Int) -> Task<Void, Never> {
        let (me, executor) = (SameThread(value: WeakBox(self)), executor)
        // The work may be on another thread by then; its events are handled on the machine's own.
        let sender = EventSender<F.Event> { event in
            await Task(executorPreference: executor) { me.value.object?.deliver(event, of: stay) }.value
        }
        return Task(executorPreference: executor) { await work(sender) }
    }

    /// Handles an event of a state's work, unless the session has left that stay.
    private func deliver(_ event: F.Event, of stay: Int) {
        guard extras?.stay == stay else { return }
        withFlightMark(.work) {
            do throws(Refusal) {
                _ = try send(event, from: .orchestrator)
            } catch {
                record(error, of: event, HistoryEntry.Cause(.orchestrator))
            }
        }
    }
}
