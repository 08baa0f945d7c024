// Saving a machine's state, and restoring it.

import Texts
import Memory

extension FlowKind {
    @usableFromInline
    final func restorer(of state: String, on clock: FlowClock) throws -> StateRestorer {
        if let known = restorers.first(where: { $0.restoring.stateName == state }) { return known }
        guard states.contains(state) else {
            throw RestorationError("'\(name)' has no state '\(state.shortened)'; \(states.available)")
        }
        let restorer = StateRestorer(
            RestorationContext(on: clock, plans: timers, stateName: state, standards: fields.standards))
        restorers.append(restorer)
        return restorer
    }
}

extension SessionImage {
    /// As a store keeps it, but to the nanosecond. Throws if the state cannot be encoded, which is a mistake in its flow.
    package init(of machine: AnyMachine) throws {
        // The newest first, as a store keeps them.
        var timers: [TimerImage] = []
        machine.forEachOwnTimer { timer in
            timers.append(
                TimerImage(
                    name: timer.plan.name, kind: timer.plan.kind, left: timer.remaining,
                    isPaused: timer.isPaused, milestonesDue: timer.milestonesDue))
        }
        self.init(
            state: machine.stateName, data: machine.carriesOnlyTimers ? .object([]) : try machine.stateData(),
            context: try machine.savedContextText.map { try JSON(parsing: $0) }, timers: timers[...], isSaved: true)
        events = SavedEvents(
            waiting: machine.waitingEvents, sent: machine.sent?.events ?? [], lastPostponed: machine.lastPostponed,
            storedText: machine.savedText)
        (version, since) = (machine.version, machine.since)
        (isFrozen, isHalted) = (machine.isFrozen, machine.isHalted)
    }

    /// The image of a dropped session. Senders of events that waited for a hook have got an error. A session made from the image is a new
    /// life, so it remembers no ids.
    package init(ofDropped machine: AnyMachine) throws {
        try self.init(of: machine)
        version = 0
        events?.waiting.removeAll { !$0.isPostponed }
        events?.sent = []
    }
}

extension AnyMachine {
    /// Applies the image's data beside the state. The time since the image was taken counts as time in which the daemon was down.
    final func restore(_ image: SessionImage) throws {
        changes = image.version
        if let since = image.since { entered = since }
        if image.isHalted { halt() } else if image.isFrozen { clock.freeze() }
        if let events = image.events { try restore(events, away: image.away ?? .zero) }
    }

    /// Why the daemon stopped its clock; nil if it did not.
    package final var haltReason: String? { isHalted ? ZeroTimerGuard.halted : nil }

    /// Whether the state carries only timers, and no labels are needed to tell them apart, so that its name and its timers are all that must be
    /// saved.
    package final var carriesOnlyTimers: Bool { kind.onlyTimers[stateIndex] ?? kind.paths.carriesOnlyTimers(self) }

    /// Whether it has no parameters, no waiting events and no other extras.
    package final var hasOnlyState: Bool { !flags.hasExtras && kind.parameters.isEmpty }

    /// The parameters that it was begun with and that fit this version of its flow, in the form that NEW accepts; nil if none are saved, or if the
    /// version has no parameters: NEW then uses the defaults.
    package final func beginning(in flow: FlowKind) -> JSON? {
        guard !flow.parameters.isEmpty else { return nil }
        return savedContextText.flatMap { try? JSON(parsing: $0) }.map { ["context": flow.parameters.fitting($0)] }
    }

    /// The value that NEW accepts to begin a session in this state. It has the form for people if the flow comes from a file, since such a flow
    /// enters its states in its own way.
    package final var beginningHere: JSON {
        let data = kind.origin == nil ? try? stateData() : try? shownData()
        let context = savedContextText.flatMap { try? JSON(parsing: $0) }
        return .object(having: ["context": context, "state": .string(stateName), "data": data ?? .object([])])
    }

    /// Whether a timer with the restart policy `freeze` runs: after a downtime, it has the remaining time that was saved last.
    package final var hasRunningFreezeTimer: Bool {
        guard kind.hasFreezeTimers, !isFrozen else { return false }
        var isRunning = false
        forEachOwnTimer { timer in
            if timer.plan.restart == .freeze, !timer.isPaused, !timer.isFinished { isRunning = true }
        }
        return isRunning
    }

    /// Whether something waits, or works, for it: then it has to be released to end that.
    package final var hasWaiting: Bool { flags.hasExtras }

    /// Whether an event waits for an asynchronous hook, or a step is under way: then it has no image that is complete.
    package final var isBusy: Bool { phase != .idle }
}

extension Machine {
    /// Decided by the types of the case's values, not by the values: an optional that is nil now may not be next time.
    @usableFromInline
    func hasOnlyTimers() -> Bool {
        if let known = state.carriesOnlyTimers { return known }
        let found = Self.carriesOnlyTimers(state)
        kind.onlyTimers[stateIndex] = found
        return found
    }

    private static func carriesOnlyTimers(_ state: F.State) -> Bool {
        let mirror = Mirror(reflecting: state)
        guard mirror.displayStyle == .enum else { return false }
        guard let payload = mirror.children.first?.value else { return true }
        let parts = Mirror(reflecting: payload)
        guard parts.displayStyle == .tuple else { return isTimer(payload) }
        guard parts.children.allSatisfy({ isTimer($0.value) }) else { return false }
        // Of two timers of one plan, only their labels say which is which.
        let types = Set(parts.children.map { ObjectIdentifier(type(of: $0.value)) })
        return types.count == parts.children.count || parts.children.allSatisfy { $0.label?.hasPrefix(".") ?? true }
    }

    /// Asks the type: an optional timer is one by its value.
    private static func isTimer(_ value: Any) -> Bool { type(of: value) is StateTimer.Type }
}

/// The answers known so far, by index of the state.
struct TimerOnlyStates {
    private var known: [UInt8] = []

    subscript(index: UInt32) -> Bool? {
        get {
            guard index < known.count, known[Int(index)] != 0 else { return nil }
            return known[Int(index)] == 1
        }
        set {
            while known.count <= index { known.append(0) }
            known[Int(index)] = newValue.map { $0 ? 1 : 2 } ?? 0
        }
    }
}

// MARK: - The origin of a step's event

extension FlowClock {
    /// Where the event came from that the session handles; nil outside of a machine.
    package var handledSource: EventSource? { (session.host as? AnyMachine)?.kind.handledSource }
}

// MARK: - Facts about the cases of a flow's enums, computed once

extension Machine {
    /// The index of the state's name: its case's, or the one that the state itself gives.
    @inline(__always)
    @inlinable func indexOfState() -> UInt32 {
        if let index = current.proven.ownIndex { return index }
        if let name = current.proven.ownName { return kind.index(ofState: name) }
        guard let table = typed.stateIndicesByCase else { return cacheStateIndex() }
        let known = table.number(of: &current)
        return known != CaseTable<F.State>.unknown ? known : cacheStateIndex()
    }

    @usableFromInline func cacheStateIndex() -> UInt32 {
        let index = kind.index(ofState: state.name)
        typed.stateIndicesByCase?.set(index, for: state)
        return index
    }

    @inlinable func sources(of event: F.Event) -> EventSources {
        guard let table = typed.sourcesByCase else { return restoreSources(of: event) }
        let known = table.number(of: event)
        guard known != CaseTable<F.Event>.unknown else { return restoreSources(of: event) }
        return EventSources(rawValue: UInt8(truncatingIfNeeded: known))
    }

    @usableFromInline func restoreSources(of event: F.Event) -> EventSources {
        // One that the catalogue does not list may come from anyone.
        let sources = typed.definition.events[caseName(of: event)]?.sources ?? .anyone
        typed.sourcesByCase?.set(UInt32(sources.rawValue), for: event)
        return sources
    }
}

// MARK: - Detects flows with zero timers that form a loop, in which time would never pass

/// Counts, by machine, how often in a row a timer fired in the instant in which its state was entered. Few machines have such timers, so
/// the counts are stored here and not in each machine.
@usableFromInline
struct ZeroTimerGuard {
    private var instant = Instant.zero
    private var counts: [ObjectIdentifier: Int] = [:] { didSet { isWatching = !counts.isEmpty } }
    /// Whether there are any counts.
    @usableFromInline private(set) var isWatching = false

    /// The sentence in STATE while it is stopped.
    static let halted =
        "the daemon stopped its clock: timers of zero length fire in a cycle; HISTORY names them, RESUME starts the clock again"

    /// Counts a firing in a state that was entered at this instant.
    mutating func count(_ machine: AnyMachine, at now: Instant) -> Int {
        if now != instant { (instant, counts) = (now, [:]) }
        counts[ObjectIdentifier(machine), default: 0] += 1
        return counts[ObjectIdentifier(machine)] ?? 0
    }

    /// Forgets a machine's count: an event from outside has come in between, or the machine is gone.
    @usableFromInline
    mutating func forget(_ machine: AnyMachine) {
        guard isWatching else { return }
        counts[ObjectIdentifier(machine)] = nil
    }
}

// MARK: - The ids that a machine remembers

extension AnyMachine {
    /// Remembers an event that was sent with an id, and forgets the oldest where there are more than `most`. The caller has the session saved.
    package final func remember(_ event: SentEvent, atMost most: Int) {
        let sent = sent ?? SentEvents()
        sent.add(event, atMost: most)
        self.sent = sent
    }

    /// An event that waited for a hook is decided. Where its outcome is unknown here, it waits on elsewhere.
    package final func decide(_ id: EventID, _ result: Result<Outcome, Refusal>) {
        let answer: SentAnswer
        switch result {
        case .success(let outcome): answer = .state(outcome.reply(in: stateName))
        case .failure(let refusal): answer = .refused(refusal.code, refusal.description)
        }
        if case .refused(.unknown, _) = answer { return }
        if sent?.decide(id, answer) == true { kind.watcher?.keep(self) }
    }

    /// All of it in a store's form; nil if there is nothing, which is nearly always so.
    package final var savedEventsText: String? {
        guard flags.hasExtras else { return nil }
        return SavedEvents.text(waiting: waitingEvents, sent: sent?.text, lastPostponed, savedText)
    }

    /// Restores them after a restart. An event that should wait, and is not there, was decided in the turn that a crash cut off.
    package final func restore(_ saved: SavedEvents, away: Duration = .zero) throws {
        if !saved.waiting.isEmpty { try restore(saved.waiting, away: away) }
        if saved.lastPostponed > lastPostponed { lastPostponed = saved.lastPostponed }
        if let text = saved.storedText { savedText = text }
        guard !saved.sent.isEmpty else { return }
        let waiting = Set(saved.waiting.compactMap(\.id))
        sent = SentEvents(
            saved.sent.map { event in
                var event = event
                if event.answer == nil, !waiting.contains(event.id) { event.answer = .lost }
                return event
            })
    }
}
