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
        guard F.sources(of: event).contains(source) else { throw refusedSource(caseName(of: event), source) }
        return try accept(event, source)
    }

    @inlinable
    func decodeAndSend(_ place: Int, _ payload: JSON?, _ source: EventSource) throws(Refusal) -> Outcome {
        let spec = F.events.specs[place]
        guard spec.sources.contains(source) else { throw refusedSource(spec.name, source) }
        let event: F.Event
        do throws(FlowError) {
            event = try spec.event(with: payload)
        } catch {
            throw .badEvent(error.sentence)
        }
        kind.handling = spec.name
        defer { kind.handling = nil }
        return try accept(event, source)
    }

    @usableFromInline
    func refusedSource(_ event: String, _ source: EventSource) -> Refusal {
        let allowed = EventSource.allCases.filter { F.events[event]?.sources.contains($0) ?? false }.map(\.name)
        return .notAllowed("'\(event)' cannot come from \(source.name); it comes from \(allowed.joined(separator: ", "))")
    }

    /// An event whose sender may send it.
    @inlinable
    func accept(_ event: F.Event, _ source: EventSource) throws(Refusal) -> Outcome {
        guard phase == .idle else { return try enqueue(QueuedEvent(event: event, source: source, timer: nil)) }
        defer { if extras != nil { settle() } }
        return try handle(event, source)
    }

    @inlinable
    func fired(_ firing: Firing) {
        guard let event = firing.timer.plan.message as? F.Event else { return }
        guard phase == .idle else {
            _ = try? enqueue(QueuedEvent(event: event, source: .timer, timer: firing.timer.id))
            return
        }
        guard !loopsWithoutTime() else { return clock.freeze() }
        kind.firing = firing.timer.plan
        defer { kind.firing = nil }
        do throws(Refusal) {
            _ = try accept(event, .timer)
        } catch {
            tell(error, of: event, .timer)
        }
    }

    /// A flow whose zero timers lead in a circle would never let time pass: its clock is stopped, and everything can be read.
    @usableFromInline
    func loopsWithoutTime() -> Bool {
        firingsAtOnce = since == timekeeper.now ? firingsAtOnce &+ 1 : 0
        return firingsAtOnce > Self.mostFiringsAtOnce
    }

    // MARK: One step

    /// From the event to the commit.
    @inlinable
    func handle(_ event: F.Event, _ source: EventSource) throws(Refusal) -> Outcome {
        phase = .handling
        defer { if phase == .handling { phase = .idle } }
        let from: String
        let transition: F.Transition
        do throws(FlowError) {
            let old = state
            from = old.name
            transition = try flow.transition(from: old, on: event)
        } catch {
            return try resolve(error, event, source, in: from)
        }
        let candidate: F.State
        do {
            candidate = try transition()
        } catch {
            return try resolve(FlowError(error), event, source, in: from)
        }
        if setup.asks { try check(event, candidate) }
        if setup.waits { return wait(candidate, event, source) }
        commit(candidate, from, event, source)
        return .taken
    }

    /// What becomes of an event that has no transition.
    @inlinable @inline(never)
    func resolve(
        _ error: FlowError, _ event: F.Event, _ source: EventSource, in state: String
    ) throws(Refusal) -> Outcome {
        switch error {
        case .postpone:
            return try postpone(QueuedEvent(event: event, source: source, timer: nil))
        case .transitionNotFound where setup.policy == .ignore:
            makeExtras().ignored += 1
            return .ignored
        default:
            throw refusal(error, event, in: state)
        }
    }

    @inlinable
    func refusal(_ error: FlowError, _ event: F.Event, in state: String) -> Refusal {
        switch error {
        case .refused(let sentence): .badEvent(sentence)
        case .transitionNotFound, .postpone:
            .transitionNotFound(TransitionNotFound(state: state, event: event, machine: self))
        }
    }

    /// Validators and hooks: whoever objects, vetoes.
    @inlinable
    func check(_ event: F.Event, _ candidate: F.State) throws(Refusal) {
        for validator in setup.validators {
            if let objection = validator(state, event, candidate) { throw .vetoed(objection) }
        }
        for hook in setup.beforeHooks {
            do {
                try hook(self, event, candidate)
            } catch {
                throw .vetoed("\(error)")
            }
        }
    }

    /// From here on the step counts.
    @inlinable
    func commit(_ candidate: consuming F.State, _ from: String, _ event: F.Event?, _ source: EventSource) {
        let to = candidate.name
        // The old state goes, and with it every timer that the new one does not carry.
        current = candidate
        changes &+= 1
        let isNewStay = event == nil || from != to
        if isNewStay { entered = timekeeper.now }
        if setup.tells || extras != nil {
            announce(Change(from: from, to: to, event: event, source: source, at: timekeeper.now, version: version))
            if isNewStay { enterStay() }
        }
        if let watcher = kind.watcher {
            // The name by which it came is at hand; to find it out from the event takes longer.
            let name = kind.handling ?? event.map { caseName(of: $0) }
            watcher(
                self,
                Occurrence(
                    from: from, to: to, event: name, source: source, timer: source == .timer ? kind.firing?.name : nil,
                    refusal: nil, at: timekeeper.now, version: version))
        }
    }

    @usableFromInline
    func announce(_ change: Change<F.Event>) {
        for hook in setup.afterHooks { hook(self, change) }
        extras?.tellObservers(change)
    }

    /// Nobody waits for an answer to this event, but whoever watches should know that nothing came of it.
    @usableFromInline
    func tell(_ refusal: Refusal, of event: F.Event, _ source: EventSource) {
        kind.watcher?(
            self,
            Occurrence(
                from: stateName, to: stateName, event: caseName(of: event), source: source, timer: kind.firing?.name,
                refusal: "\(refusal)", at: timekeeper.now, version: version))
    }
}
