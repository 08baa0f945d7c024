// What a machine saves of its state, and what it needs when one comes back.

import Texts
import Timers

extension FlowKind {
    /// What sessions in that state are restored with.
    @usableFromInline
    final func restorer(of state: String, on clock: FlowClock) throws -> StateRestorer {
        if let known = restorers.first(where: { $0.restoring.stateName == state }) { return known }
        guard states.contains(state) else {
            throw RestoringError("'\(name)' has no state '\(state.shortened)'; there are \(states.joined(separator: ", "))")
        }
        let restorer = StateRestorer(Restoring(on: clock, plans: timers, stateName: state))
        restorers.append(restorer)
        return restorer
    }
}

extension AnyMachine {
    /// Whether the state carries timers and nothing else: then its name and its timers are all that there is to save.
    package final var carriesOnlyTimers: Bool { kind.paths.carriesOnlyTimers(self) }

    /// A session that comes back: how many changes it had seen, when it came into its state, and whether its clock stood still.
    package final func recall(version: UInt32, since: Instant, isFrozen: Bool) {
        changes = version
        entered = since
        if isFrozen { clock.freeze() }
    }
}

extension Machine {
    /// By the types of what the state's case carries, and not by what is in it: a text that is missing now may be there next time.
    @usableFromInline
    func hasOnlyTimers() -> Bool {
        if let known = typed.onlyTimers[place] { return known }
        let found = Self.carriesOnlyTimers(state)
        typed.onlyTimers[place] = found
        return found
    }

    private static func carriesOnlyTimers(_ state: F.State) -> Bool {
        let mirror = Mirror(reflecting: state)
        guard mirror.displayStyle == .enum else { return false }
        guard let payload = mirror.children.first?.value else { return true }
        let parts = Mirror(reflecting: payload)
        return parts.displayStyle == .tuple ? parts.children.allSatisfy { $0.value is StateTimer } : payload is StateTimer
    }
}

/// Answers by the places of states, as far as they have been found out.
struct OnlyTimers {
    private var known: [UInt8] = []

    subscript(place: UInt32) -> Bool? {
        get {
            guard place < known.count, known[Int(place)] != 0 else { return nil }
            return known[Int(place)] == 1
        }
        set {
            while known.count <= place { known.append(0) }
            known[Int(place)] = newValue.map { $0 ? 1 : 2 } ?? 0
        }
    }
}
