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
    /// Called when a session's time is over; it still has its entry.
    var whenOver: (UInt32) -> Void = { _ in }

    init(_ rules: [ExpiryRule], on timekeeper: Timekeeper) {
        self.timekeeper = timekeeper
        kinds = Dictionary(
            rules.map { ($0.flow, Kind(rule: $0, plan: .countdown(ExpiryRule.name, $0.length))) }, uniquingKeysWith: { $1 })
    }

    package subscript(slot: UInt32) -> SessionExpiry? { entries[slot] }

    /// The session in this slot has its time, less what has passed of it already.
    func add(_ slot: UInt32, ofFlow flow: String, untouched: Duration = .zero, isFrozen: Bool = false) {
        guard let kind = kinds[flow] else { return }
        let entry = SessionExpiry(
            slot, kind.plan, kind.rule, of: self, on: timekeeper, left: kind.rule.length - max(untouched, .zero))
        entry.follow(isFrozen: isFrozen)
        entries[slot] = entry
    }

    func remove(_ slot: UInt32) { entries[slot] = nil }
}
