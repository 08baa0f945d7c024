// Asynchronous hooks and states' work. Both run on the kind's executor, on the loop's thread.

/// Carries a reference into a task that runs on the machine's own thread.
private struct SameThread<Object: AnyObject>: @unchecked Sendable {
    weak var object: Object?
}

extension Machine {
    // MARK: Asynchronous hooks

    /// The asynchronous hooks of a step; most steps have none.
    @usableFromInline
    func asyncHooks(of event: F.Event, _ candidate: F.State) -> [FlowDefinition<F>.AsyncBeforeHook] {
        typed.definition.asyncBeforeHooks.compactMap { $0(flow, state, event, candidate) }
    }

    /// Runs the asynchronous hooks one after the other. Until they return, events queue.
    @usableFromInline
    func wait(
        for hooks: [FlowDefinition<F>.AsyncBeforeHook], _ candidate: F.State, _ event: F.Event, _ cause: HistoryEntry.Cause
    ) -> Outcome {
        phase = .waiting
        let extras = makeExtras()
        var queued = QueuedEvent(event: event, cause: cause, timer: nil, payload: takePayload(cause))
        queued.postponement = extras.offered?.postponement
        queued.notified = .waiting
        let step = PendingStep<F>(candidate: candidate, besides: outbox?.effects ?? [], queued)
        extras.pending = step
        hold(queued.payload)
        if extras.offered?.notified == .waiting {
            kind.watcher?.keep(self)
        } else {
            record(.waiting, of: event, cause, carrying: queued.payload)
        }
        let change = Change(
            from: stateName, to: candidate.name, event: event, source: cause.source, at: timekeeper.now, since: since,
            version: version &+ 1)
        let name = sessionName
        let (me, held) = (SameThread(object: self), SameThread(object: step))
        step.task = Task(executorPreference: executor) {
            var objection: (any Error)?
            do {
                for hook in hooks { try await hook(name, change) }
            } catch {
                objection = error
            }
            guard !Task.isCancelled, let step = held.object else { return }
            me.object?.finish(step, objection)
        }
        step.deadline = kind.watcher?.object.limitHooks { [weak self, weak step] limit in
            if let step { self?.endWait(for: step, after: limit) }
        }
        return .waiting
    }

    /// The hooks timed out: the step is withdrawn, and the events behind it continue.
    private func endWait(for step: PendingStep<F>, after limit: Duration) {
        guard phase == .waiting, extras?.pending === step else { return }
        withFlightMark(.work) {
            abandonWait(.withdrawn(.timedOut(after: limit)))
            drainQueue()
        }
    }

    private func finish(_ step: PendingStep<F>, _ objection: (any Error)?) {
        guard phase == .waiting, extras?.pending === step else { return }
        withFlightMark(.work) { conclude(step, objection) }
    }

    private func conclude(_ step: PendingStep<F>, _ objection: (any Error)?) {
        step.deadline = nil
        extras?.pending = nil
        let queued = step.queued
        release(queued.payload)
        phase = .handling
        timekeeper.beginStep()
        if let objection {
            drop(step, .vetoed(FlowError.words(for: objection)))
        } else {
            removePerformedEffects(from: step)
            _ = try? carrying(queued.payload, queued.cause) { () throws(Refusal) in
                commit(step.candidate, queued.event, queued.cause)
                return .taken
            }
            queued.receipt?.complete(with: .success(.taken))
        }
        phase = .idle
        drainQueue()
    }

    /// Removes the effects that were performed while the hooks ran: the candidate was made with those that its session had left.
    private func removePerformedEffects(from step: PendingStep<F>) {
        guard let left = outbox, let requested = flow.outbox(of: step.candidate), requested !== left else { return }
        let performed = step.effects.dropLast(left.effectCount)
        guard requested.effects.starts(with: performed) else { return }
        for _ in performed { requested.completeEffect() }
    }

    /// The step does not count after all. `forced` is the state that comes instead, and has its timers by now; nil if the session stays.
    private func drop(_ step: PendingStep<F>, _ refusal: Refusal, entering forced: F.State? = nil) {
        if let forced { stopTimersLeftBehind(beside: forced) } else { stopTimersLeftBehind() }
        refuse(step.queued, refusal)
    }

    /// Stops timers, except those of the session's state and of the one that is about to be forced.
    private func stopTimersLeftBehind(beside forced: F.State) {
        let state = state
        let found = TimerSearch.all(in: (state, forced)).timers
        stopTimers { !found.contains(ObjectIdentifier($0)) && !state.carries($0) && !forced.carries($0) }
    }

    /// Cancels the hooks and drops their step, for this reason; `forced` is a state that is about to be entered.
    func abandonWait(_ refusal: Refusal, entering forced: F.State? = nil) {
        guard phase == .waiting, let step = extras?.pending else { return }
        step.cancel()
        release(step.queued.payload)
        extras?.pending = nil
        // An event that the sender sends at once is queued.
        phase = .handling
        drop(step, refusal, entering: forced)
        phase = .idle
    }

    // MARK: The work of a state

    /// Cancels the work of the old state, and begins that of the new one.
    @usableFromInline
    func enterStay() {
        let extras = makeExtras()
        extras.stateHasChanged = true
        extras.stay += 1
        for task in extras.work { task.cancel() }
        guard kind.hasWork else { return extras.work = [] }
        let (session, executor) = (workingSession(in: extras.stay), executor)
        extras.work = typed.definition.orchestrators.compactMap { $0(flow, state, session) }.map { work in
            Task(executorPreference: executor) {
                if let event = await work() { await session.send(event) }
            }
        }
    }

    /// The work may be on another thread; its events are handled, and its texts stored, on the machine's own.
    private func workingSession(in stay: Int) -> WorkingSession<F.Event> {
        let (me, executor) = (SameThread(object: self), executor)
        let storage = SessionStorage {
            await Task(executorPreference: executor) { me.object?.storedText }.value
        } write: { text in
            await Task(executorPreference: executor) { me.object?.store(text, in: stay) ?? .success(false) }.value
        }
        return WorkingSession(named: sessionName, storage) { event in
            await Task(executorPreference: executor) { me.object?.deliver(event, of: stay) }.value
        }
    }

    /// Stores a text of a state's work. False if the session has left that stay.
    private func store(_ text: String?, in stay: Int) -> Result<Bool, SessionStorage.TooLong> {
        guard extras?.stay == stay else { return .success(false) }
        return Result { () throws(SessionStorage.TooLong) in
            try store(text)
            return true
        }
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

    // MARK: Stored text

    /// The text that the session's hooks and work have stored; nil if nothing is stored.
    public var storedText: String? { extras?.storedText }

    /// Stores the text in place of the earlier one; nil removes that. It is saved with the step that is under way. Throws if it is too long.
    public func store(_ text: String?) throws(SessionStorage.TooLong) {
        try SessionStorage.check(text)
        guard text != storedText else { return }
        keepStored(text)
        kind.watcher?.keep(self)
    }

    func keepStored(_ text: String?) {
        if text != nil || flags.hasExtras { makeExtras().storedText = text }
    }
}
