// Which definitions of flows a node has, and which sessions they do not fit, for the other nodes.

import Cluster
import GameFlow
import Logging
import Memory
import Sessions
import Store

extension Persistence {
    /// The definitions of the hosted flows.
    package var definitions: FlowDefinitions {
        FlowDefinitions(Dictionary(sessions.flows.map { ($0.name, $0.definitionDigest) }) { first, _ in first })
    }

    /// How many sessions of each flow are set aside in shards that are here, since the definitions do not fit them.
    package var misfits: [Int: [String: Int]] {
        Dictionary(grouping: sessions.setAsideSessions.values.filter { !$0.isQuarantined }) { shard(of: $0.name) }
            .filter { serves($0.key) }.mapValues(\.unfit)
    }

    /// How many sessions of each flow could not be restored, or were set aside meanwhile by a change of flows.
    func unfit(_ restorer: ShardRestorer) -> [String: Int] {
        setAside(ofShard: restorer.load.shard.number).unfit.merging(restorer.setAside.unfit) { $0 + $1 }
    }

    func setAside(ofShard number: Int) -> some Sequence<SetAsideSession> {
        sessions.setAsideSessions.group(number).lazy.filter { self.shard(of: $0.name) == number }
    }

    func shard(of name: ByteString) -> Int { name.withBytes { journal.map.shard(of: $0) } }
}

extension Sequence<SetAsideSession> {
    /// How many of them do not fit the definition of their flow, by flow.
    var unfit: [String: Int] {
        reduce(into: [:]) { if !$1.isQuarantined { $0[$1.flow, default: 0] += 1 } }
    }
}

extension FlowKind {
    /// Differs where files differ. A flow of the program goes by its states, events and timers: programs of the same version have the same.
    fileprivate var definitionDigest: String {
        origin?.fingerprint ?? FlowDefinitions.digest(states + [""] + events.map(\.name) + [""] + timers.map(\.name))
    }
}

// MARK: - Reports that a database has gone back in time

/// A shard with tables that lack changes, since the database has gone back in time and the writer no longer keeps all of them.
struct TablesGap {
    /// The sessions that the tables had then.
    let saved: [ByteString: SavedVersion]
    /// Those and the sessions here, as far as they have not been compared; nil until the shard's sessions are here.
    var names: ArraySlice<ByteString>?

    init(_ saved: [SavedVersion]) { self.saved = Dictionary(saved.map { (ByteString($0.name), $0) }) { first, _ in first } }
}

extension Persistence {
    /// To be called when the writer has reported something.
    func collectGaps() {
        let rewritten = journal.writer.report.rewritten
        if rewritten > rewrittenRows {
            log.error(
                "the database has gone back in time: it lacked \(rewritten - rewrittenRows) commits that it had acknowledged, and gets them "
                    + "again; it has crashed with --durability everysec, was restored, or failed over to a replica that was behind"
            )
            rewrittenRows = rewritten
            rewinds += 1
        }
        for (shard, saved) in journal.writer.drainGaps() { gaps[shard] = TablesGap(saved) }
        if !gaps.isEmpty { gaps = gaps.filter { shards[$0.key.number] == $0.key } }
    }

    /// Saves the next session again, of a shard whose sessions are here. Returns false if no tables lack anything.
    func saveNextAgain() -> Bool {
        // Asked for each session that is restored.
        guard !gaps.isEmpty, let shard = gaps.keys.first(where: { shards[$0.number] == $0 && serves($0.number) }) else {
            return false
        }
        saveNextAgain(in: shard)
        return true
    }

    /// Saves the rest of them at once, since they leave.
    func saveAllAgain(in shard: Shard) {
        collectGaps()
        while gaps[shard] != nil {
            saveNextAgain(in: shard)
            journal.submitLargeTurn()
        }
    }

    private func saveNextAgain(in shard: Shard) {
        guard let gap = gaps[shard] else { return }
        if gap.names == nil {
            gaps[shard]?.names = names(in: shard.number, and: gap)
        } else if let name = gaps[shard]?.names?.popFirst() {
            saveAgain(name, gap.saved[name])
        } else {
            gaps[shard] = nil
        }
    }

    private func names(in number: Int, and gap: TablesGap) -> ArraySlice<ByteString> {
        var names = Set(gap.saved.keys)
        for session in sessions(ofShard: number) where shard(of: session.nameBytes) == number {
            names.insert(session.nameBytes)
        }
        for session in setAside(ofShard: number) { names.insert(session.name) }
        return Array(names)[...]
    }

    /// A session that is newer than its row is saved again, and one that has ended is deleted again.
    private func saveAgain(_ name: ByteString, _ row: SavedVersion?) {
        if let session = sessions.find(name) {
            let (version, life) = (Int64(session.machine.version), Int64(session.life))
            if row?.version == version, row?.life == life { return }
            sessions.recordImage(of: session.machine)
            logGap(of: name, session.machine.kind.name, version, life, row)
        } else if let held = held[name] {
            let (version, life) = held.withRow { ($0.version, $0.life) }
            if row?.version == version, row?.life == life { return }
            guard let timers = held.markedTimers ?? held.timers else { return }
            journal.recordImage(of: held, timers)
            logGap(of: name, held.flow, version, life, row)
        } else if let session = sessions.setAsideSessions[name] {
            if let reserved = session.reserved { saveAgain(session, reserved, row) }
        } else {
            name.withStored { journal.drop(.max, named: $0) }
        }
    }

    /// One that was set aside while the daemon ran has no machine: its image was taken then.
    private func saveAgain(_ session: SetAsideSession, _ reserved: ReservedSlot, _ row: SavedVersion?) {
        let (version, life) = (Int64(reserved.version), Int64(reserved.life))
        if row?.version == version, row?.life == life { return }
        let age = sessions.timekeeper.now.nanoseconds(since: reserved.at)
        reserved.withRow(ofFlow: session.flow, savedAt: clock.latest().wallNanoseconds - age) { image, timers in
            journal.recordImage(of: image, timers, named: session.name)
            logGap(of: session.name, session.flow, version, life, row)
        }
    }

    private func logGap(of name: ByteString, _ flow: String, _ version: Int64, _ life: Int64, _ row: SavedVersion?) {
        let since = row?.life == life ? "after version \(row?.version ?? 0)" : "before version \(version)"
        log.write(
            .error, provokedBy: .sessionTrouble, about: LogSubject(session: name.text, flow: flow),
            "the history of '\(name.text)' may lack changes \(since): the database has gone back in time. Its state is saved again"
        )
    }
}
