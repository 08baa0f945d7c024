// Expiry: idle or finished sessions are dropped or restarted automatically.

import GameFlow
import Memory

extension Sessions: ExpiryDelegate {
    /// From now on sessions expire by these rules. Called before there are any.
    package func expire(by rules: [ExpiryRule]) {
        guard !rules.isEmpty else { return }
        expiries = Expiries(rules, on: timekeeper, for: self)
    }

    /// Returns the session's rule and remaining time; nil if it does not expire.
    package func expiry(of machine: AnyMachine) -> SessionExpiry? {
        guard let expiries, owns(machine), !livesForParent(machine) else { return nil }
        return expiries[machine.tag]
    }

    /// Whether its parent decides how long it lives: a child does not expire. A parent that is set aside may return, and has no links meanwhile.
    private func livesForParent(_ machine: AnyMachine) -> Bool {
        if effects.family.isChild(reference(to: machine)) { return true }
        guard !setAsideSessions.isEmpty, let parent = ChildName.split(name(of: machine))?.parent else { return false }
        return setAsideSessions[ByteString(parent)] != nil
    }

    /// Starts the expiry timer of a restored session. `untouched` is its idle time when it was saved; nil if it did not expire then. It has been idle
    /// for `away` since: otherwise each restart would give a session from before the rule its full time again.
    package func restoreExpiry(of machine: AnyMachine, untouched: Duration?, away: Duration) {
        guard let expiries else { return }
        // A child of a parent in another shard, which may not have asked it yet, has its full time.
        let isChild = untouched == nil && effects.family.link(of: reference(to: machine)) != nil
        expiries.add(
            machine.tag, ofFlow: machine.flowName, untouched: isChild ? .zero : (untouched ?? .zero) + away,
            isFrozen: machine.isFrozen)
    }

    // MARK: Being touched

    /// Something has happened to the session, which is not recorded yet.
    func updateExpiry(_ entry: borrowing HistoryEntry, _ machine: AnyMachine) {
        if entry.kind == .begun, !effects.family.isChild(reference(to: machine)) {
            expiries?.add(machine.tag, ofFlow: machine.flowName)
        }
        expiries?[machine.tag]?.setFrozen(machine.isFrozen)
        guard touches(entry, machine) else { return }
        expiries?[machine.tag]?.restart()
        // The entry of a refusal is recorded without an image, so this records one; all other entries come with one.
        if entry.isRefused, expiries?[machine.tag] != nil { recordImage(of: machine) }
        let isByParent = entry.cause.source == .orchestrator && (entry.kind == .begun || entry.kind == .dropped)
        if !isByParent, !comesByItself(entry) { touchAncestors(of: machine) }
    }

    /// Whether its own timers, or its children, have brought it about.
    private func comesByItself(_ entry: borrowing HistoryEntry) -> Bool {
        entry.cause.source == .timer || effects.isDeliveringNotice
    }

    /// Timers and notices from children are no activity, except when they finish the session. For a finished session, refused and ignored events are
    /// no activity.
    private func touches(_ entry: borrowing HistoryEntry, _ machine: AnyMachine) -> Bool {
        if comesByItself(entry) { return entry.from != entry.to && machine.isFinal }
        switch entry.kind {
        case .refused, .ignored: return !machine.isFinal
        case .taken, .postponed, .waiting, .begun, .forced, .paused, .resumed, .extended, .dropped, .withdrawn: return true
        }
    }

    /// Activity in a child counts as activity in all its ancestors.
    private func touchAncestors(of machine: AnyMachine) {
        guard !effects.family.isEmpty else { return }
        var child = Session(Borrowed(machine), in: self)
        while let parent = effects.parent(of: child) {
            if let expiry = expiries?[parent.slot], !parent.machine.isFinal {
                expiry.restart()
                recordImage(of: parent.machine)
                delegate?.sessionExpiryDidRestart(parent)
            }
            child = parent
        }
    }

    // MARK: The end

    func sessionDidExpire(_ slot: UInt32) {
        guard let session = find(inSlot: slot), let rule = expiries?[slot]?.rule else { return }
        // Once its parent is gone, it may expire.
        guard !livesForParent(session.machine) else {
            expiries?[slot]?.restart()
            return
        }
        // If its flow ends the daemon now, the next start finds it quarantined.
        let outer = session.withMachine { flightRecorder?.enter(FlightMark(.work, of: $0)) }
        defer { if let outer { flightRecorder?.leave(outer) } }
        switch rule.action {
        case .drop: drop(session, by: actors.number(of: ExpiryRule.name), from: .timer)
        case .restart: restartExpired(session, slot)
        }
    }

    private func restartExpired(_ session: Session, _ slot: UInt32) {
        do throws(SessionError) {
            _ = try restart(session, nil, by: actors.number(of: ExpiryRule.name), from: .timer)
        } catch {
            expiries?[slot]?.restart()
            delegate?.session(session, didFailToRestart: error.sentence)
        }
    }
}

/// The sessions that expire without activity, by slot. Only sessions of flows with a rule take memory here.
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

    /// Starts the expiry timer of the session in this slot, less the idle time that has already passed.
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

// MARK: - When the sessions of a flow expire, and the form of that in a session's image.

/// Action on a flow's sessions that had no activity, or have been over, for a given time.
package struct ExpiryRule: Equatable, Sendable {
    package enum Action: String, Sendable, CaseIterable {
        /// It is dropped.
        case drop
        /// It is restarted with its original parameters.
        case restart
    }

    package let flow: String
    package let length: Duration
    package let action: Action

    /// A shorter length would restart a session repeatedly if its flow's first state is final.
    package static let minDuration = Duration.seconds(1)
    /// The name of its timer, and of its actor in the history.
    package static let name = "--expire"

    package init(flow: String, length: Duration, action: Action) {
        (self.flow, self.length, self.action) = (flow, length, action)
    }

    /// In a session's image it is one more timer. Its name has the full length, since the rule may be another at the
    /// next start; no flow's timer has a space in its name.
    package var savedName: String { "\(Self.name) \(length.written)" }

    /// Time without activity when the session was saved; nil for a flow's own timer.
    package static func untouched(in saved: TimerImage) -> Duration? {
        // The first byte distinguishes nearly all of them.
        guard saved.name.utf8.first == UInt8(ascii: "-"), saved.name.hasPrefix(name + " ") else { return nil }
        let length = Duration(text: String(saved.name.dropFirst(name.count + 1)))
        return length.flatMap { length in saved.left.map { length - $0 } }
    }
}
