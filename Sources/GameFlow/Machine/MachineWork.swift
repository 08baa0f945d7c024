// What takes its time: hooks that think before a step counts, and the work that belongs to a state. All of it runs on the
// executor of the machine's setup, which is the loop's own thread.

import Timers

/// Carries a reference into a task that runs on the same thread as everything else of its machine.
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
    // MARK: Hooks that take their time

    /// Asks the asynchronous hooks, one after the other. Until they have answered, what comes queues.
    @usableFromInline
    func wait(_ candidate: F.State, _ event: F.Event, _ cause: Cause) -> Outcome {
        phase = .waiting
        let step = PendingStep<F>(candidate: candidate, event: event, cause: cause, said: takeSaid(cause))
        makeExtras().pending = step
        hold(step.said)
        kind.watcher?.keep(self)
        let change = Change(
            from: stateName, to: candidate.name, event: event, source: cause.source, at: timekeeper.now, version: version &+ 1)
        let hooks = setup.asyncBeforeHooks
        let me = SameThread(value: (machine: WeakBox(self), step: WeakBox(step)))
        step.task = Task(executorPreference: executor) {
            var objection: (any Error)?
            do {
                for hook in hooks { try await hook(change) }
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
        marked(.work) { conclude(step, objection) }
    }

    private func conclude(_ step: PendingStep<F>, _ objection: (any Error)?) {
        extras?.pending = nil
        release(step.said)
        phase = .handling
        if let objection {
            tell(.vetoed("\(objection)"), of: step.event, step.cause, saying: step.said)
            kind.watcher?.keep(self)
        } else {
            _ = try? saying(step.said, step.cause) { () throws(Refusal) in
                commit(step.candidate, step.event, step.cause)
                return .taken
            }
        }
        phase = .idle
        settle()
    }

    /// Nobody waits for the hooks any more.
    func abandonWait() {
        guard phase == .waiting else { return }
        extras?.pending?.task?.cancel()
        release(extras?.pending?.said)
        extras?.pending = nil
        phase = .idle
    }

    // MARK: The work of a state

    /// A state has been entered: the work of the last one ends, and that of this one begins.
    @usableFromInline
    func enterStay() {
        let extras = makeExtras()
        extras.stateHasChanged = true
        extras.stay += 1
        for task in extras.work { task.cancel() }
        extras.work = setup.orchestrators.compactMap { $0(state) }.map { begin($0, stay: extras.stay) }
    }

    private func begin(_ work: @escaping @Sendable () async -> F.Event?, stay: Int) -> Task<Void, Never> {
        let me = SameThread(value: WeakBox(self))
        return Task(executorPreference: executor) {
            guard let event = await work() else { return }
            me.value.object?.deliver(event, of: stay)
        }
    }

    /// What work has come to. It counts only in the stay that it was begun in.
    private func deliver(_ event: F.Event, of stay: Int) {
        guard extras?.stay == stay else { return }
        _ = try? marked(.work) { () throws(Refusal) in try send(event, from: .orchestrator) }
    }
}
