// What happens when an event comes.
//
// Select, run the transition (it builds the candidate state), validators, hooks, commit, hooks, observers. A throw before the
// commit leaves everything as it was, and drops the candidate with its timers.
//
// All of this is inlinable, so that it is compiled anew for each flow where the flow is known: as a generic function it would
// take twenty times as long.

import Timers

extension Machine {
    /// Sends an event. It is handled now, or after what is being handled now.
    @inlinable @discardableResult
    public func send(_ event: F.Event, from source: EventSource = .ui) throws(Refusal) -> Outcome {
        guard sources(of: event).contains(source) else { throw refusedSource(caseName(of: event), source) }
        return try accept(event, Cause(source))
    }

    @inlinable
    func decodeAndSend(_ place: Int, _ payload: Payload?, _ source: EventSource) throws(Refusal) -> Outcome {
        let spec = typed.borrowedSpecs[place]
        guard spec.with({ $0.sources.contains(source) }) else {
            throw refusedSource(typed.specs[place].name, source)
        }
        let event: F.Event
        do throws(FlowError) {
            event = try spec.with { $0.decoded(payload) }.get()
        } catch {
            throw .badEvent(error.sentence)
        }
        let cause = Cause(source, event: UInt16(truncatingIfNeeded: place))
        guard let payload else { return try accept(event, cause) }
        return try carrying(payload, cause) { () throws(Refusal) in try accept(event, cause) }
    }

    @usableFromInline
    func refusedSource(_ event: String, _ source: EventSource) -> Refusal {
        kind.notAllowed(event, from: source)
    }

    /// An event whose sender may send it.
    @inlinable
    func accept(_ event: F.Event, _ cause: Cause) throws(Refusal) -> Outcome {
        guard phase == .idle else { return try enqueue(QueuedEvent(event: event, cause: cause, timer: nil)) }
        if cause.source != .timer, kind.zeroTimers.isWatching { kind.zeroTimers.forget(self) }
        defer { if flags.hasExtras { settle() } }
        return try handle(event, cause)
    }

    @inlinable
    func fired(_ firing: Firing) {
        guard isCarried(firing.timer) else { return }
        let message = firing.timer.plan.message
        guard let event = message as? F.Event else { return swung(firing, message) }
        fired(event, firing)
    }

    /// A pendulum whose event says how many swings were missed; only where there were some, that is worth keeping.
    @usableFromInline
    func swung(_ firing: Firing, _ message: (any Sendable)?) {
        guard let swing = message as? Swing<F.Event> else { return }
        let event = swing.event(firing.missed)
        guard firing.missed > 0, let payload = JSON.carried(by: event) else { return fired(event, firing) }
        _ = try? carrying(Payload(payload), kind.cause(firing: firing.timer.plan)) { () throws(Refusal) in
            fired(event, firing)
            return .taken
        }
    }

    @inlinable
    func fired(_ event: F.Event, _ firing: Firing) {
        let cause = kind.cause(firing: firing.timer.plan)
        guard phase == .idle else {
            _ = try? enqueue(QueuedEvent(event: event, cause: cause, timer: firing.timer.id))
            return
        }
        guard !loopsWithoutTime() else { return clock.freeze() }
        marked(.timer, cause.timer) {
            do throws(Refusal) {
                _ = try accept(event, cause)
            } catch {
                tell(error, of: event, cause)
            }
        }
    }

    /// A flow whose zero timers lead in a circle would never let time pass: its clock is stopped, and everything can be read.
    @usableFromInline
    func loopsWithoutTime() -> Bool {
        guard since == timekeeper.now else { return false }
        return kind.zeroTimers.count(self, at: since) > Self.mostFiringsAtOnce
    }

    // MARK: One step

    /// From the event to the commit.
    @inlinable
    func handle(_ event: F.Event, _ cause: Cause) throws(Refusal) -> Outcome {
        phase = .handling
        timekeeper.beginStep()
        defer { if phase == .handling { phase = .idle } }
        let candidate: F.State
        do throws(FlowError) {
            candidate = try self.candidate(for: event)
        } catch {
            return try resolve(error, event, cause)
        }
        if typed.asks { try check(event, candidate) }
        if typed.waits { return wait(candidate, event, cause) }
        commit(candidate, event, cause)
        return .taken
    }

    /// Selects a transition and runs it. It may hold on to the state that it leaves, and with it to that state's timers: so it is
    /// gone before the step counts.
    @inlinable
    func candidate(for event: F.Event) throws(FlowError) -> F.State {
        let transition = try flow.transition(from: state, on: event)
        do {
            return try transition()
        } catch {
            throw FlowError(error)
        }
    }

    /// What becomes of an event that has no transition.
    @inlinable @inline(never)
    func resolve(_ error: FlowError, _ event: F.Event, _ cause: Cause) throws(Refusal) -> Outcome {
        switch error {
        case .postpone:
            return try postpone(QueuedEvent(event: event, cause: cause, timer: nil))
        case .transitionNotFound where typed.policy == .ignore:
            makeExtras().ignored += 1
            return .ignored
        case .refused(let sentence):
            throw .badEvent(sentence)
        case .transitionNotFound:
            throw .transitionNotFound(TransitionNotFound(event: event, machine: self, flow.clock))
        }
    }

    /// Validators and hooks: any objection is a veto.
    @inlinable
    func check(_ event: F.Event, _ candidate: F.State) throws(Refusal) {
        guard let objection = objection(to: event, candidate) else { return }
        stopTimersLeftBehind()
        throw .vetoed(objection)
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
                return "\(error)"
            }
        }
        return nil
    }

    /// A timer belongs to its state: a copy of a state that somebody keeps does not keep its timers running.
    @inlinable @inline(__always)
    func stopTimersLeftBehind() {
        if !seesAllTimers(in: &current) { stopTimersThatAreNotCarried() }
    }

    /// Whether the timer belongs to the state that the session is in, or will be in once a hook has answered.
    @inlinable @inline(__always)
    func isCarried(_ timer: StateTimer) -> Bool {
        if sees(timer, in: &current) || state.carries(timer) || isPending(timer) { return true }
        stop(timer)
        return false
    }

    @usableFromInline
    func isPending(_ timer: StateTimer) -> Bool { extras?.pending?.candidate.carries(timer) ?? false }

    @inlinable @inline(never)
    func stopTimersThatAreNotCarried() {
        let state = state
        stopTimers { !state.carries($0) }
    }

    /// From here on the step counts.
    @inlinable
    func commit(_ candidate: consuming F.State, _ event: F.Event?, _ cause: Cause) {
        let old = place
        // The old state goes, and with it every timer that the new one does not carry; those that somebody holds are stopped. In a step
        // that stays in its state and makes no timer, one could be held by somebody only if it is dropped: that is seen when it fires.
        current = consume candidate
        let new = placeOfState()
        if hasOlderTimers, old != new || timekeeper.hasNewTimers { stopTimersLeftBehind() }
        changes &+= 1
        place = new
        let (isNewStay, since) = (event == nil || old != new, entered)
        if isNewStay { entered = timekeeper.now }
        if typed.tells || flags.hasExtras {
            announce(event, cause, from: old, since: since)
            if isNewStay { enterStay() }
        }
        guard let watcher = kind.watcher else { return }
        guard cause.event != Cause.none else { return noteUnnamed(event, cause, from: old) }
        let occurrence = Occurrence(from: old, to: new, cause: cause, detail: nil, at: timekeeper.now, version: version)
        watcher.note(self, occurrence)
    }

    /// A state that was forced, or an event that typed code has sent and that nobody has named.
    @usableFromInline
    func noteUnnamed(_ event: F.Event?, _ cause: Cause, from old: UInt32) {
        let payload = event.flatMap { JSON.carried(by: $0) }
        let occurrence = Occurrence(
            from: old, to: place, cause: completed(cause, event), detail: payload.map { Detail(payload: $0.kept) },
            at: timekeeper.now, version: version)
        kind.watcher?.note(self, occurrence)
    }

    /// With the event's place, which typed code has not said.
    func completed(_ cause: Cause, _ event: F.Event?) -> Cause {
        guard cause.event == Cause.none, let event else { return cause }
        return Cause(cause.source, event: kind.place(ofTyped: event), timer: cause.timer)
    }

    @usableFromInline
    func announce(_ event: F.Event?, _ cause: Cause, from old: UInt32, since: Instant) {
        let change = Change(
            from: kind.stateName(at: old), to: stateName, event: event, source: cause.source, at: timekeeper.now, since: since,
            version: version)
        for hook in typed.definition.afterHooks { hook(self, change) }
        extras?.tellObservers(change)
    }

    /// Nobody waits for an answer to this event, but the watcher should know that nothing came of it.
    @usableFromInline
    func tell(_ refusal: Refusal, of event: F.Event, _ cause: Cause, carrying sent: Payload? = nil) {
        guard let watcher = kind.watcher else { return }
        let isUnnamed = cause.event == Cause.none
        let payload = sent?.kept ?? (isUnnamed ? JSON.carried(by: event)?.kept : nil)
        let occurrence = Occurrence(
            from: place, to: place, cause: completed(cause, event),
            detail: Detail(refused: Refused(event: caseName(of: event), refusal), payload: payload), at: timekeeper.now,
            version: version)
        watcher.note(self, occurrence)
    }
}
