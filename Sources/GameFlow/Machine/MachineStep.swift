// How a machine handles an event:
//
// Select, run the transition (it builds the candidate state), validators, hooks, commit, hooks, observers. A throw before the
// commit leaves everything as it was, and drops the candidate with its timers.
//
// The path of an event is inlinable, so that it is specialized for each flow: unspecialized it takes twenty times as long.

import Memory

extension Machine {
    /// Sends an event. It is handled now, or queued if another is being handled.
    @inlinable @discardableResult
    public func send(_ event: F.Event, from source: EventSource = .ui) throws(Refusal) -> Outcome {
        guard sources(of: event).contains(source) else { throw refusedSource(caseName(of: event), source) }
        return try accept(event, HistoryEntry.Cause(source))
    }

    @inlinable @inline(__always)
    func decodeAndSend(
        _ index: Int, _ payload: Payload?, _ source: EventSource, _ actor: ActorNumber
    ) throws(Refusal) -> Outcome {
        let spec = typed.borrowedSpecs[index]
        guard spec.with({ $0.sources.contains(source) }) else {
            throw refusedSource(typed.specs[index].name, source)
        }
        let cause = HistoryEntry.Cause(source, event: UInt16(truncatingIfNeeded: index), actor: actor)
        if let payload { return try send(payload, by: spec, cause) }
        return try accept(try decoded(nil, by: spec), cause)
    }

    /// The same with a payload, apart, so that the path of an event without one is short enough to be inlined.
    @inlinable
    func send(
        _ sent: Payload, by spec: Borrowed<EventSpec<F.Event>>, _ cause: HistoryEntry.Cause
    ) throws(Refusal) -> Outcome {
        let payload = spec.with({ $0.carriesText }) ? sent.asText ?? sent : sent
        let event = try decoded(payload, by: spec)
        return try carrying(payload, cause) { () throws(Refusal) in try accept(event, cause) }
    }

    @inlinable @inline(__always)
    func decoded(_ payload: Payload?, by spec: Borrowed<EventSpec<F.Event>>) throws(Refusal) -> F.Event {
        do throws(FlowError) {
            return try spec.with { $0.decoded(payload) }.get()
        } catch {
            throw Refusal(error)
        }
    }

    @usableFromInline
    func refusedSource(_ event: String, _ source: EventSource) -> Refusal {
        .notAllowed(kind.notAllowedSentence(event, from: source))
    }

    /// Handles an event from a permitted sender.
    @inlinable
    func accept(_ event: F.Event, _ cause: HistoryEntry.Cause) throws(Refusal) -> Outcome {
        guard phase == .idle else { return try enqueue(QueuedEvent(event: event, cause: cause, timer: nil)) }
        if cause.source != .timer, kind.zeroTimers.isWatching { forgetZeroTimerCount() }
        defer { if flags.hasExtras { drainQueue() } }
        return try handle(event, cause)
    }

    @inlinable
    func fired(_ firing: Firing) {
        guard isCarried(firing.timer) else { return }
        let message = firing.isMilestone ? firing.milestone?.message : firing.timer.plan.message
        guard let event = message as? F.Event else { return swung(firing, message) }
        fired(event, firing)
    }

    /// Fires a pendulum with an event that carries the number of missed swings. The payload is recorded only if swings were missed.
    @usableFromInline
    func swung(_ firing: Firing, _ message: (any Sendable)?) {
        guard let swing = message as? PendulumMessage<F.Event> else { return }
        let event = swing.event(firing.missed)
        guard firing.missed > 0, let payload = JSON.carried(by: event) else { return fired(event, firing) }
        _ = try? carrying(Payload(payload), kind.cause(firing: firing.timer.plan)) { () throws(Refusal) in
            fired(event, firing)
            return .taken
        }
    }

    @inlinable
    func fired(_ event: F.Event, _ firing: Firing) {
        let cause = firing.isMilestone ? kind.cause(of: firing, sending: event) : kind.cause(firing: firing.timer.plan)
        guard phase == .idle else { return enqueue(event, cause, firing) }
        guard !loopsWithoutTime(firing.timer.plan) else { return breakZeroTimerLoop(event, cause, firing) }
        withFlightMark(.timer, cause.timer) {
            do throws(Refusal) {
                _ = try accept(event, cause)
            } catch {
                record(error, of: event, cause)
            }
        }
    }

    /// Whether the session's zero timers form a loop, in which time would never pass.
    @usableFromInline
    func loopsWithoutTime(_ plan: TimerPlan) -> Bool {
        // A state that is entered again under its own name counts as the same stay, so that its timers decide.
        guard since == timekeeper.now || plan.length == .zero || typed.definition.shortensTimers else { return false }
        return kind.zeroTimers.count(self, at: timekeeper.now) > Self.maxFiringsAtOnce
    }

    /// An event from outside ends a loop of zero timers; one from another session can be part of it.
    @usableFromInline
    func forgetZeroTimerCount() {
        if kind.watcher?.with(\.isRunningEffects) != true { kind.zeroTimers.forget(self) }
    }

    /// Stops the clock and records the reason: nothing else would explain why the session is stopped. Once the clock is resumed, the timer
    /// fires again.
    @usableFromInline
    func breakZeroTimerLoop(_ event: F.Event, _ cause: HistoryEntry.Cause, _ firing: Firing) {
        record(.tooMany(.zeroTimers(Self.maxFiringsAtOnce)), of: event, cause)
        kind.zeroTimers.forget(self)
        halt()
        firing.timer.fireAgain(firing)
        recordUnchanged(HistoryEntry.Cause(.timer, actor: .daemon), HistoryEntry.Detail(.paused))
    }

    // MARK: One step

    /// From the event to the commit.
    @inlinable
    func handle(_ event: F.Event, _ cause: HistoryEntry.Cause) throws(Refusal) -> Outcome {
        phase = .handling
        kind.handledSource = cause.source
        timekeeper.beginStep()
        defer { if phase == .handling { phase = .idle } }
        let candidate: F.State
        // Validators and hooks see the old state and its timers.
        if !typed.hasBeforeHooks { timekeeper.beginRenewing(self) }
        do throws(FlowError) {
            // The transition may retain the old state with its timers, so it is released before the commit.
            candidate = try flow.step(from: state, on: event)
        } catch {
            if flags.hasExtras { undoTimerChanges() } else { timekeeper.undoRenewing(self) }
            return try resolve(error, event, cause)
        }
        timekeeper.endRenewing(self)
        if typed.hasBeforeHooks {
            try check(event, candidate)
            let hooks = asyncHooks(of: event, candidate)
            if !hooks.isEmpty { return wait(for: hooks, candidate, event, cause) }
        }
        commit(candidate, event, cause)
        return .taken
    }

    /// Handles an event without a transition.
    @inlinable func resolve(_ error: FlowError, _ event: F.Event, _ cause: HistoryEntry.Cause) throws(Refusal) -> Outcome {
        switch error {
        case .postpone:
            return try postpone(QueuedEvent(event: event, cause: cause, timer: nil))
        case .transitionNotFound where typed.policy == .ignore:
            return ignore(event, cause)
        case .refused, .badPayload:
            throw Refusal(error)
        case .transitionNotFound:
            throw .transitionNotFound(InvalidTransition(event: event, machine: self, flow.clock))
        }
    }

    /// Validators and hooks: any objection is a veto.
    @inlinable
    func check(_ event: F.Event, _ candidate: F.State) throws(Refusal) {
        let text = storedText
        guard let objection = objection(to: event, candidate) else { return }
        if flags.hasExtras { undoTimerChanges() }
        stopTimersLeftBehind()
        saveStoredText(unless: text)
        throw .vetoed(objection)
    }

    /// Saves the session again if a hook of a step that is vetoed has stored another text: until now it is saved with the step's timers.
    @usableFromInline
    func saveStoredText(unless text: String?) {
        if storedText != text { kind.watcher?.keep(self) }
    }

    @inlinable
    func objection(to event: F.Event, _ candidate: F.State) -> String? {
        for validator in typed.definition.validators {
            if let objection = validator(state, event, candidate) { return objection }
        }
        for hook in typed.definition.beforeHooks {
            do {
                try hook(self, event, candidate)
            } catch {
                return FlowError.words(for: error)
            }
        }
        return nil
    }

    /// Stops timers that the session's state does not carry, even if a copy of another state keeps them alive.
    @inlinable func stopTimersLeftBehind() {
        if !seesAllTimers(in: &current) { stopTimersThatAreNotCarried() }
    }

    /// Whether the timer belongs to the session's state, or to the one that it enters once a hook has returned.
    @inlinable func isCarried(_ timer: StateTimer) -> Bool {
        if sees(timer, in: &current) || state.carries(timer) || isPending(timer) { return true }
        timer.stop()
        return false
    }

    @usableFromInline
    func isPending(_ timer: StateTimer) -> Bool { extras?.pending?.candidate.carries(timer) ?? false }

    @inlinable func stopTimersThatAreNotCarried() {
        if typed.stateIndicesByCase != nil, stopTimersOfCollections() { return }
        let state = state
        stopTimers { !state.carries($0) }
    }

    /// The same for an enum that carries many timers, in a collection: they are searched for all at once, which takes as long as one of them.
    /// False for one that has few.
    @usableFromInline
    func stopTimersOfCollections() -> Bool {
        var count = 0
        forEachTimer { _ in count += 1 }
        guard count > 4 else { return false }
        let (state, found) = (state, TimerSearch.all(in: state).timers)
        stopTimers { !found.contains(ObjectIdentifier($0)) && !state.carries($0) }
        return true
    }

    @inlinable
    func commit(_ candidate: consuming F.State, _ event: F.Event?, _ cause: HistoryEntry.Cause) {
        let old = stateIndex
        // Releasing the old state cancels every timer that the new one does not carry; those still held elsewhere are stopped. A step
        // that stays in its state and makes no timer skips that search: a timer held elsewhere is noticed when it fires.
        current = consume candidate
        let new = indexOfState()
        if mayHaveOlderTimers, old != new || timekeeper.hasNewTimers { stopTimersLeftBehind() }
        changes &+= 1
        stateIndex = new
        let (isNewStay, since) = (event == nil || old != new, entered)
        if isNewStay { entered = timekeeper.now }
        if typed.hasAfterHooks || flags.hasExtras {
            notifyObservers(event, cause, from: old, since: since)
            if isNewStay { enterStay() }
        }
        guard let watcher = kind.watcher else { return }
        if cause.event != HistoryEntry.Cause.none {
            let entry = HistoryEntry(from: old, to: new, cause: cause, detail: nil, at: timekeeper.now, version: version)
            watcher.record(self, entry)
        } else {
            recordUnnamed(event, cause, from: old)
        }
        if typed.hasEffects { flushOutbox() }
    }

    /// Hands over the effects that the step has requested, once it is recorded.
    @inlinable func flushOutbox() {
        guard let watcher = kind.watcher, let outgoing = flow.outbox(of: state), !outgoing.isEmpty else { return }
        watcher.with { $0.collect(outgoing, from: self) }
    }

    /// Records a forced state, or an event with an unknown index that typed code sent.
    @usableFromInline
    func recordUnnamed(_ event: F.Event?, _ cause: HistoryEntry.Cause, from old: UInt32) {
        guard let watcher = kind.watcher else { return }
        let payload = event.flatMap { JSON.carried(by: $0)?.kept }
        let detail =
            event == nil ? HistoryEntry.Detail(.forced) : payload.map { HistoryEntry.Detail(.taken, payload: $0) }
        watcher.record(
            self,
            HistoryEntry(
                from: old, to: stateIndex, cause: completed(cause, event), detail: detail, at: timekeeper.now, version: version)
        )
    }

    @usableFromInline
    func ignore(_ event: F.Event, _ cause: HistoryEntry.Cause) -> Outcome {
        record(.ignored, of: event, cause, carrying: takePayload(cause))
        return .ignored
    }

    /// Records an event with an outcome other than a change.
    func record(
        _ what: HistoryEntry.Kind, refused: Refused? = nil, of event: F.Event, _ cause: HistoryEntry.Cause,
        carrying sent: Payload?
    ) {
        guard kind.watcher != nil else { return }
        let payload = sent?.kept ?? (cause.event == HistoryEntry.Cause.none ? JSON.carried(by: event)?.kept : nil)
        recordUnchanged(completed(cause, event), HistoryEntry.Detail(what, refused: refused, payload: payload))
    }

    /// Adds the event's index, which typed code does not give.
    func completed(_ cause: HistoryEntry.Cause, _ event: F.Event?) -> HistoryEntry.Cause {
        guard cause.event == HistoryEntry.Cause.none, let event else { return cause }
        return HistoryEntry.Cause(cause.source, event: kind.index(ofTyped: event), timer: cause.timer, actor: cause.actor)
    }

    @usableFromInline
    func notifyObservers(_ event: F.Event?, _ cause: HistoryEntry.Cause, from old: UInt32, since: Instant) {
        let change = Change(
            from: kind.stateName(at: old), to: stateName, event: event, source: cause.source, at: timekeeper.now, since: since,
            version: version)
        for hook in typed.definition.afterHooks { hook(self, change) }
        extras?.notifyObservers(change)
    }

    /// Records a refused event of a sender that does not wait for an answer, such as a timer.
    @usableFromInline
    func record(_ refusal: Refusal, of event: F.Event, _ cause: HistoryEntry.Cause, carrying sent: Payload? = nil) {
        guard kind.watcher != nil else { return }
        let refused = refused(caseName(of: event), refusal)
        record(.refused, refused: refused, of: event, cause, carrying: sent)
    }
}
