// What a session is, apart from its flow's code.

import Timers

/// A session's state with all that belongs to it: what makes a machine that goes on where another one was, or one that does not begin in
/// its flow's initial state.
public struct SessionImage {
    /// The state's name.
    public let state: String
    /// The state's data.
    public let data: JSON
    /// The parameters that the session began with; nil where its flow has none.
    public let context: JSON?
    /// How much of the session's time has passed since it was saved.
    public package(set) var away: Duration
    /// Timers that were stored apart from the state.
    public let timers: ArraySlice<TimerImage>
    /// Whether a machine saved it, so that it is complete; false for what somebody gives.
    public let isSaved: Bool

    /// Events that wait, and the ids that it remembers; nil if there are none.
    package var events: SavedEvents?
    /// The number of changes of its state.
    package var version: UInt32 = 0
    /// When it entered its state; nil for one that enters it now.
    package var since: Instant?
    package var isFrozen = false
    /// Whether the daemon has frozen it.
    package var isHalted = false

    /// A beginning in that state; without data it carries what is new.
    public init(
        state: String, data: JSON = .object([]), context: JSON? = nil, away: Duration = .zero,
        timers: ArraySlice<TimerImage> = [], isSaved: Bool = false
    ) {
        self.state = state
        self.data = data
        self.context = context
        self.away = away
        self.timers = timers
        self.isSaved = isSaved
    }

    /// As a store keeps it, but to the nanosecond. Throws if the state cannot be encoded, which is a mistake in its flow.
    package init(of machine: AnyMachine) throws {
        // The newest first, as a store keeps them.
        var timers: [TimerImage] = []
        machine.forEachTimer { timer in
            timers.append(
                TimerImage(
                    name: timer.plan.name, kind: timer.plan.kind, left: timer.remaining,
                    isPaused: timer.isPaused, milestonesDue: timer.milestonesDue))
        }
        self.init(
            state: machine.stateName, data: machine.carriesOnlyTimers ? .object([]) : try machine.stateData(),
            context: try machine.contextText.map { try JSON(parsing: $0) }, timers: timers[...], isSaved: true)
        events = SavedEvents(waiting: machine.waitingEvents, sent: machine.sent?.events ?? [])
        (version, since) = (machine.version, machine.since)
        (isFrozen, isHalted) = (machine.isFrozen, machine.clock.isHalted)
    }

    /// Of a session that was dropped. Whoever sent an event that waits for a hook has been told that it is dropped, too. What begins there
    /// again is a new life, and so remembers no ids.
    package init(ofDropped machine: AnyMachine) throws {
        try self.init(of: machine)
        version = 0
        events = SavedEvents(waiting: machine.waitingEvents.filter(\.isPostponed), sent: [])
    }

    /// Bytes that its waiting events carry.
    package var waitingBytes: Int { events?.waiting.reduce(0) { $0 + ($1.payload?.size ?? 0) } ?? 0 }
}

extension AnyMachine {
    /// Has what the image says beside the state. The time since it was taken counts as time in which the daemon was down.
    final func recall(_ image: SessionImage) throws {
        changes = image.version
        if let since = image.since { entered = since }
        if image.isHalted { clock.halt() } else if image.isFrozen { clock.freeze() }
        if let events = image.events { try restore(events) }
    }

    /// Why its clock stands, if the daemon stopped it; nil if it did not.
    package final var haltReason: String? { clock.isHalted ? ZeroTimerGuard.halted : nil }

    /// Whether the state carries only timers, so that its name and its timers are all that must be saved.
    package final var carriesOnlyTimers: Bool { kind.onlyTimers[place] ?? kind.paths.carriesOnlyTimers(self) }

    /// Whether it has no parameters, no waiting events and no other extras.
    package final var hasOnlyState: Bool { !flags.hasExtras && kind.parameters.isEmpty }

    /// The parameters that it was begun with, as NEW takes them; nil if none are known.
    package final var beginning: JSON? {
        contextText.flatMap { try? JSON(parsing: $0) }.map { ["context": $0] }
    }

    /// What begins a session where it is, as NEW takes it. For people, where a flow from a file enters its states in its own way.
    package final var beginningHere: JSON {
        let data = kind.origin == nil ? try? stateData() : try? shownData()
        let context = contextText.flatMap { try? JSON(parsing: $0) }.map { [JSON.Member("context", $0)] } ?? []
        return .object(context + [.init("state", .string(stateName)), .init("data", data ?? .object([]))])
    }

    /// Whether something waits, or works, for it: then it has to be released to end that.
    package final var hasWaiting: Bool { flags.hasExtras }

    /// Whether an event waits for an asynchronous hook, or a step is under way: then it has no image that is complete.
    package final var isBusy: Bool { phase != .idle }
}
