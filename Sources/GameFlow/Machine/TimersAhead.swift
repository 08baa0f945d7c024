// The timers that lead on from a state without events from outside, and their remaining times.

extension AnyMachine {
    /// How many timers a sentence names.
    private static let maxNamed = 3

    /// `show, in 29.7s; hint, paused`: the timers that send one of these events, the soonest first; nil if there are none.
    package final func timersAhead(_ events: [String]) -> String? {
        let ahead = ownTimers.compactMap { timer -> (name: String, left: Duration, isPaused: Bool)? in
            guard let left = timer.left(untilOneOf: events) else { return nil }
            return (timer.plan.name, left, timer.isPaused || isFrozen)
        }
        guard !ahead.isEmpty else { return nil }
        let sorted = ahead.sorted { $0.isPaused == $1.isPaused ? $0.left < $1.left : $1.isPaused }
        let named = sorted.prefix(Self.maxNamed).map { "\($0.name), \($0.isPaused ? "paused" : "in \($0.left.short)")" }
        let more = ahead.count > named.count ? ["and \(ahead.count - named.count) more"] : []
        return (named + more).joined(separator: "; ")
    }

    /// The accepted events for a refusal's sentence; empty if only timers could lead on and no timer can.
    package final var acceptedForRefusal: UInt64? {
        let accepted = acceptedMask
        guard let accepted, kind.isOnlyForTimers(accepted) else { return accepted }
        return hasTimersAhead(kind.names(of: accepted)) ? accepted : 0
    }

    /// The same by name, for a flow with more than 64 events.
    private final var acceptedNamesForRefusal: [String] {
        let accepted = acceptedEvents
        let (names, areOnlyForTimers) = (accepted.map(\.name), accepted.allSatisfy { $0.sources.isSubset(of: .timers) })
        return areOnlyForTimers && !hasTimersAhead(names) ? [] : names
    }

    private final func hasTimersAhead(_ events: [String]) -> Bool {
        !isFinal && ownTimers.contains { $0.left(untilOneOf: events) != nil }
    }

    /// The refusal as the history keeps it, with the events that its sender could send instead.
    package final func refused(_ event: String, _ refusal: Refusal) -> Refused {
        guard case .transitionNotFound(let what) = refusal, what.isStillTrue else {
            return Refused(event: event, refusal.facts)
        }
        let accepted = acceptedForRefusal.map { RefusalFacts.notValidMask(accepted: $0) }
        return Refused(event: event, accepted ?? .notValid(accepted: acceptedNamesForRefusal))
    }
}

extension FlowKind {
    /// Whether there are such events, and only timers send them.
    package final func isOnlyForTimers(_ accepted: UInt64) -> Bool { accepted != 0 && accepted & fromOutside == 0 }

    /// The names of events that are a bit each.
    package final func names(of mask: UInt64, where isOne: (AcceptedEvent) -> Bool = { _ in true }) -> [String] {
        events.prefix(64).enumerated().compactMap { mask >> UInt64($0) & 1 == 1 && isOne($1) ? $1.name : nil }
    }
}

extension Duration {
    /// `250ms`, `29.7s`, `1m30s`: as exact as people need it, rounded up.
    fileprivate var short: String {
        let milliseconds = milliseconds
        let unit = milliseconds < 1_000 ? 1 : milliseconds < 60_000 ? 100 : 1_000
        return Duration.milliseconds((milliseconds + unit - 1) / unit * unit).written
    }
}

extension StateTimer {
    /// How long it is until the timer, or a milestone on its way, sends one of these events.
    fileprivate func left(untilOneOf events: [String]) -> Duration? {
        guard let remaining else { return nil }
        if let milestone = nextMilestone, let event = milestone.messageName, events.contains(event) {
            return max(.zero, remaining - milestone.remaining)
        }
        return plan.messageName.map(events.contains) == true ? remaining : nil
    }
}
