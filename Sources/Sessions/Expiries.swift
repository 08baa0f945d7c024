import Timers

/// The sessions that expire if nobody touches them, by slot. Only those take memory here whose flow has a rule.
package final class Expiries {
    private struct Kind {
        let rule: ExpiryRule
        let plan: TimerPlan
    }

    /// By the flow's name.
    private let kinds: [String: Kind]
    private let timekeeper: Timekeeper
    private var entries: [UInt32: SessionExpiry] = [:]
    private unowned let delegate: any ExpiryDelegate

    init(_ rules: [ExpiryRule], on timekeeper: Timekeeper, for delegate: any ExpiryDelegate) {
        (self.timekeeper, self.delegate) = (timekeeper, delegate)
        kinds = Dictionary(
            rules.map { ($0.flow, Kind(rule: $0, plan: .countdown(ExpiryRule.name, $0.length))) }, uniquingKeysWith: { $1 })
    }

    package subscript(slot: UInt32) -> SessionExpiry? { entries[slot] }

    /// The session in this slot has its time, less what has passed of it already.
    func add(_ slot: UInt32, ofFlow flow: String, untouched: Duration = .zero, isFrozen: Bool = false) {
        guard let kind = kinds[flow] else { return }
        let entry = SessionExpiry(
            slot, kind.plan, kind.rule, of: self, on: timekeeper, left: kind.rule.length - max(untouched, .zero))
        entry.setFrozen(isFrozen)
        entries[slot] = entry
    }

    func remove(_ slot: UInt32) { entries[slot] = nil }

    func timeIsOver(_ slot: UInt32) { delegate.sessionDidExpire(slot) }
}

/// Notified when a session's time is over.
protocol ExpiryDelegate: AnyObject {
    /// The time of the session in this slot is over; it still has its entry.
    func sessionDidExpire(_ slot: UInt32)
}
