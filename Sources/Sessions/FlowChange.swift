// A change of flows while sessions run: those of the flows that changed are moved, set aside or taken back, a few at a time.

import GameFlow
import Memory

/// Effect of a change on one flow: the kind of change, and how many sessions it affects.
package struct FlowChangeSummary: Equatable {
    package enum Change: String {
        case new, changed, gone, unchanged
    }

    package let flow: String
    package let change: Change
    /// Sessions that continue.
    package fileprivate(set) var movedCount = 0
    /// Sessions that are over, since the new definition makes their state final.
    package fileprivate(set) var endedCount = 0
    /// The state of the first of them.
    package fileprivate(set) var finalState: String?
    /// Sessions that were set aside before, and are back.
    package fileprivate(set) var reinstatedCount = 0
    package fileprivate(set) var setAsideCount = 0
    /// Why the first of them is.
    package fileprivate(set) var problem: String?
    /// Parts that sessions lose since the new definition lacks them.
    package fileprivate(set) var lost: LostParts

    package init(flow: String, change: Change) {
        (self.flow, self.change, lost) = (flow, change, LostParts(of: flow))
    }

    fileprivate mutating func move(_ session: MovedSession) {
        if session.isEnded {
            endedCount += 1
            finalState = finalState ?? session.state
        } else {
            movedCount += 1
        }
    }

    fileprivate mutating func setAside(_ problem: String) {
        setAsideCount += 1
        self.problem = self.problem ?? problem
    }
}

/// Done in steps, between which the sessions that are not moved yet keep their definition.
package final class FlowChange {
    /// Notified of each session that the change concerns.
    package protocol Delegate: AnyObject {
        /// Its definition has changed under it.
        func didMove(_ session: Session)
        func didSetAside(_ session: SetAsideSession)
        func didReinstate(_ session: Session)
    }

    private enum Phase: Equatable {
        /// Sessions in the slots from this one on have not been looked at.
        case moving(UInt32)
        /// Sessions with events that wait for a hook; they move once the hook has decided.
        case waiting
        /// Sessions that were set aside before: those of this part, from this one on.
        case reinstating(part: Int, Int)
        /// Reinstated sessions find their parents and children, once all are back.
        case relinking
        case over
    }

    /// Migration of the sessions of an old kind.
    private struct Migration {
        let old: FlowKind
        /// Nil if the flow is gone.
        let new: FlowKind?
        let summaryIndex: Int
    }

    private unowned let sessions: Sessions
    /// Whether it only reports what it would do.
    private let isDry: Bool
    private weak var delegate: (any Delegate)?
    /// The effect on each flow, so far.
    package private(set) var summaries: [FlowChangeSummary] = []
    /// By the number of the old kind.
    private var migrations: [Int: Migration] = [:]
    /// The kinds by the flow's name: new ones, and those that have changed.
    private var kinds: [String: (kind: FlowKind, summaryIndex: Int)] = [:]
    private let end: UInt32
    private var busy: [UInt32] = []
    private var returning: [ByteString] = []
    private var phase = Phase.moving(0)

    /// `kinds` are new flows, or replace others of the same names; the flows in `gone` are no longer hosted.
    package init(
        of sessions: Sessions, hosting kinds: [FlowKind], without gone: [FlowKind], isDry: Bool, delegate: (any Delegate)?
    ) {
        self.sessions = sessions
        self.isDry = isDry
        self.delegate = delegate
        end = sessions.table.used
        for kind in kinds { begin(kind) }
        for kind in gone { end(kind) }
        if !isDry { sessions.flowTable.changes += 1 }
        if migrations.isEmpty { beginReturning() }
    }

    private func begin(_ kind: FlowKind) {
        let old = sessions.flow(named: kind.name)
        kinds[kind.name] = (kind, summaries.count)
        if let old { migrations[old.number] = Migration(old: old, new: kind, summaryIndex: summaries.count) }
        summaries.append(FlowChangeSummary(flow: kind.name, change: old == nil ? .new : .changed))
        if !isDry { sessions.host(kind) }
    }

    private func end(_ kind: FlowKind) {
        migrations[kind.number] = Migration(old: kind, new: nil, summaryIndex: summaries.count)
        summaries.append(FlowChangeSummary(flow: kind.name, change: .gone))
        if !isDry { sessions.flowTable.stopHosting(kind) }
    }

    package var isOver: Bool { phase == .over }

    /// Whether all that is left waits for hooks.
    package var isWaiting: Bool { phase == .waiting }

    package func step(atMost count: Int) {
        switch phase {
        case .moving(let slot): move(from: slot, count)
        case .waiting: moveBusy()
        case .reinstating(let part, let index): reinstate(part: part, from: index, atMost: count)
        case .relinking: relink(atMost: count)
        case .over: break
        }
    }

    // MARK: Moving

    private func move(from slot: UInt32, _ count: Int) {
        let next = min(end, slot + UInt32(count))
        for slot in slot..<next { move(slot) }
        if next < end {
            phase = .moving(next)
        } else if busy.isEmpty {
            beginReturning()
        } else {
            phase = .waiting
        }
    }

    private func moveBusy() {
        let slots = busy
        busy = []
        for slot in slots { move(slot) }
        if busy.isEmpty { beginReturning() }
    }

    private func move(_ slot: UInt32) {
        guard let machine = sessions.table.records[slot].machine, let migration = migrations[machine.with { $0.kind.number }]
        else {
            return
        }
        let session = Session(machine, in: sessions)
        guard isDry || !session.machine.isBusy else { return busy.append(slot) }
        do {
            guard let new = migration.new else { throw RestorationError("the flow '\(migration.old.name)' no longer exists") }
            let outcome = try sessions.move(session, to: new, isDry: isDry)
            summaries[migration.summaryIndex].move(outcome)
            guard let moved = sessions.find(inSlot: slot) else { return }
            summaries[migration.summaryIndex].lost.add(outcome.lost, of: moved.name)
            if !isDry { delegate?.didMove(moved) }
        } catch {
            let problem = "\(error)"
            summaries[migration.summaryIndex].setAside(problem)
            if isDry { return }
            let aside = sessions.setAside(session, because: problem)
            delegate?.didSetAside(aside)
        }
    }

    // MARK: Taking back

    private func beginReturning() {
        beginReinstating(part: kinds.isEmpty || sessions.setAsideSessions.isEmpty ? SetAsideSessions.partCount : 0)
    }

    private func beginReinstating(part: Int) {
        guard part < SetAsideSessions.partCount else { return relink(atMost: 0) }
        returning = sessions.setAsideSessions.part(part).filter(isMeant).map(\.name)
        phase = .reinstating(part: part, 0)
    }

    /// Not those that this very change has set aside.
    private func isMeant(_ session: SetAsideSession) -> Bool {
        kinds[session.flow] != nil && !session.isQuarantined && (isDry || session.reserved?.change != sessions.flowChanges)
    }

    private func reinstate(part: Int, from index: Int, atMost count: Int) {
        let next = min(returning.count, index + count)
        for name in returning[index..<next] { reinstate(name) }
        if next < returning.count { phase = .reinstating(part: part, next) } else { beginReinstating(part: part + 1) }
    }

    private func reinstate(_ name: ByteString) {
        guard let session = sessions.setAsideSessions[name], let (kind, summaryIndex) = kinds[session.flow] else { return }
        do {
            let (back, lost) = try reinstate(session, kind)
            if let back { delegate?.didReinstate(back) }
            summaries[summaryIndex].reinstatedCount += 1
            summaries[summaryIndex].lost.add(lost, of: session.name.text)
        } catch {
            let problem = "\(error)"
            summaries[summaryIndex].setAside(problem)
            if !isDry { sessions.setAsideSessions[name]?.problem = problem }
        }
    }

    /// The session, which is nil where it is only tried, and the parts that it loses.
    private func reinstate(_ session: SetAsideSession, _ kind: FlowKind) throws -> (Session?, [LostPart]) {
        guard !sessions.isFull(for: session) else { throw RestorationError(sessions.limitProblem) }
        if isDry {
            if let reserved = session.reserved { return (nil, try sessions.checkReinstatement(of: reserved, as: kind)) }
            return (nil, try sessions.persistence?.tryToRestore(session, as: kind) ?? [])
        }
        let restored = try sessions.reinstate(session, as: kind) ?? sessions.persistence?.retry(session)
        guard let back = restored else { return (nil, []) }
        return (Session(Borrowed(back.machine), in: sessions), back.lost)
    }

    private func relink(atMost count: Int) {
        sessions.effects.relinkReturned(atMost: count)
        if sessions.effects.family.returned.isEmpty { finish() } else { phase = .relinking }
    }

    // MARK: The end

    private func finish() {
        phase = .over
        guard !isDry, !summaries.isEmpty else { return }
        for migration in migrations.values { sessions.retire(migration.old) }
        sessions.persistence?.hostedFlowsDidChange()
    }
}
