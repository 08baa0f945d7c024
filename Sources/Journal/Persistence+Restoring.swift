// Sessions of a shard that was read, made on the loop, some in each turn; and those that cannot be made, set aside.

import Cluster
import GameFlow
import Logging
import Posix
import Sessions
import Store

extension Persistence {
    /// Other input waits so long for sessions that are restored or saved again.
    private static var sliceNanoseconds: Int64 { 2_000_000 }
    private static var setAsideAtOnce: Int { 50 }

    /// Saves sessions again that the tables lack, and restores loaded rows, up to one turn's time slice.
    func restoreLoaded() {
        let end = TurnClock.bootNanoseconds + Self.sliceNanoseconds
        while saveNextAgain() || setSomeAside() || restoreNext() {
            if TurnClock.bootNanoseconds >= end { return scheduleRestore() }
        }
    }

    private func scheduleRestore() {
        guard !isRestoreScheduled else { return }
        isRestoreScheduled = true
        loop.schedule { [weak self] in
            self?.isRestoreScheduled = false
            self?.restoreLoaded()
        }
    }

    /// Returns false if no further row has been read.
    private func restoreNext() -> Bool {
        guard let load = reader.current, let part = load.next() else { return false }
        restore(part, of: load)
        return true
    }

    private func restore(_ part: ShardLoad.Part, of load: ShardLoad) {
        guard isLoading(load.shard) else { return reader.finish(load) }
        switch part {
        case .problem(let sentence): log.error(sentence)
        case .summary(let summary): begin(load, summary)
        case .sessions(let sessions):
            restorer?.restore(sessions)
            Failpoint.hit("after-restoring-some")
            delegate?.sessionsDidRestore()
        case .lines(let lines): restorer?.restore(lines)
        case .end(let ending): end(load, ending)
        case .movedAside(let moved):
            restorer?.move(to: moved)
            toSetAside = restorer?.setAside[...]
        }
    }

    private func begin(_ load: ShardLoad, _ summary: ShardSummary) {
        flight?.begin(for: sessions, log: log)
        journal.own(load.shard, after: summary.lastLogged)
        let (journal, number) = (journal, load.shard.number)
        let restorer = ShardRestorer(load, in: sessions, sessionHistory: sessionHistory) {
            journal.assign($0, to: number)
        }
        self.restorer = restorer
        isRestoring = true
        restorer.begin(summary)
    }

    private func end(_ load: ShardLoad, _ ending: ShardLoad.Ending) {
        switch ending {
        case .complete(let findings):
            findings.write(to: log)
            complete(load)
        case .lacking(let flows):
            reader.finish(load)
            let missing = reader.missing(flows)
            guard !missing.isEmpty else {
                discard(load)
                return reader.read(load.shard)
            }
            forget(load.shard.number)
            delegate?.shardsDidChange([.lacking(load.shard, flows: missing)])
        case .lost:
            reader.finish(load)
            forget(load.shard.number)
            delegate?.shardsDidChange([.lost(load.shard)])
        case .failed(let error, let isNew):
            reader.finish(load)
            discard(load)
            if isNew { reportUnreadable(load.shard, error) }
        }
    }

    /// It is read again from the beginning.
    private func discard(_ load: ShardLoad) {
        guard restorer?.load === load else { return }
        endRestoring()
        journal.disown(load.shard.number)
        evict(load.shard.number)
    }

    private func reportUnreadable(_ shard: Shard, _ error: StoreError) {
        unreadable[shard.number] = error
        if mailroom != nil { log.error("cannot load shard \(shard.number), retrying: \(error)") }
        delegate?.shardsDidChange([.unreadable(shard, error)])
    }

    /// All of its sessions are made: those that cannot be are moved out of the way.
    private func complete(_ load: ShardLoad) {
        guard let restorer, restorer.load === load else { return }
        sessions.finishRestoringHistory()
        let unfit = mailroom == nil ? [:] : unfit(restorer)
        if !unfit.isEmpty, delegate?.shouldDecline(load.shard.number, unfit: unfit) == true {
            reader.finish(load)
            forget(load.shard.number)
            delegate?.shardsDidChange([.unfit(load.shard, flows: unfit, isHere: false)])
            return
        }
        // With nothing to write, a start succeeds on a full disk too.
        guard restorer.failed.isEmpty else { return reader.moveAside(restorer.failed, of: load) }
        toSetAside = restorer.setAside[...]
    }

    /// Whether there were any. Each is logged, so thousands take several turns.
    private func setSomeAside() -> Bool {
        guard let restorer, let some = toSetAside?.prefix(Self.setAsideAtOnce) else { return false }
        for session in some { setAside(session, restorer.held[session.name]) }
        toSetAside?.removeFirst(some.count)
        guard toSetAside?.isEmpty != false else { return true }
        reader.finish(restorer.load)
        serve(restorer)
        return true
    }

    private func serve(_ restorer: ShardRestorer) {
        let shard = restorer.load.shard
        let unfit = mailroom == nil ? [:] : setAside(ofShard: shard.number).unfit
        endRestoring()
        restored = (restored.sessions + restorer.restored, restored.lines + restorer.lines)
        areHere[shard.number] = true
        unreadable[shard.number] = nil
        tables.maintain(shard)
        // While the only shard is loaded, its sessions have no observers.
        if mailroom != nil, sessions.hasObservers {
            for slot in slots(of: shard.number) { sessions.notifyObserversOfArrival(slot) }
        }
        Failpoint.hit("after-restoring")
        // Only now: a load that fails is repeated, and a shard may be declined.
        for lost in restorer.lostParts { sessions.delegate?.sessionsDidLose(lost) }
        restorer.finish { removeSetAside($0) }
        // First: the delegate may release the shard at once, and then its messages are for the next owner.
        mailroom?.open(shard)
        delegate?.shardsDidChange([.loaded(shard)] + (unfit.isEmpty ? [] : [.unfit(shard, flows: unfit, isHere: true)]))
    }

    private func setAside(_ session: SetAsideSession, _ row: SetAsideRow?) {
        if let row {
            held[session.name] = row
            // That it is set aside, which is no idle time. A store that finds rows by number moves the row.
            if mailroom != nil, let timers = row.markedTimers { journal.recordImage(of: row, timers) }
        }
        sessions.setAsideSessions[session.name] = session
        log.write(
            .error, provokedBy: .setAside, about: LogSubject(session: session.name.text, flow: session.flow), session.report)
    }

    func endRestoring() {
        (restorer, toSetAside) = (nil, nil)
        sessions.finishRestoringHistory()
        isRestoring = false
    }
}
