// What a machine saves of its state, and what restoring needs.

import Texts
import Timers

extension FlowKind {
    /// The restorer of sessions in that state.
    @usableFromInline
    final func restorer(of state: String, on clock: FlowClock) throws -> StateRestorer {
        if let known = restorers.first(where: { $0.restoring.stateName == state }) { return known }
        guard states.contains(state) else {
            throw RestoringError("'\(name)' has no state '\(state.shortened)'; \(states.available)")
        }
        let restorer = StateRestorer(Restoring(on: clock, plans: timers, stateName: state))
        restorers.append(restorer)
        return restorer
    }
}

extension Machine {
    /// Decided by the types of the case's values, not by the values: an optional that is nil now may not be next time.
    @usableFromInline
    func hasOnlyTimers() -> Bool {
        if let known = state.carriesOnlyTimers { return known }
        let found = Self.carriesOnlyTimers(state)
        kind.onlyTimers[place] = found
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

/// The answers known so far, by index of the state.
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
