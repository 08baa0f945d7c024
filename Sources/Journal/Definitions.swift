// Which definitions of flows a node has, and which sessions they do not fit, for the other nodes.

import Cluster
import GameFlow
import Logging
import Memory
import Sessions
import Store

extension Persistence {
    /// Of the flows that are hosted.
    package var definitions: FlowDefinitions {
        FlowDefinitions(Dictionary(sessions.flows.map { ($0.name, $0.definitionDigest) }) { first, _ in first })
    }

    /// How many sessions of each flow are set aside in shards that are here, since the definitions do not fit them.
    package var misfits: [Int: [String: Int]] { unfitByShard.filter { serves($0.key) } }

    /// How many sessions of each flow could not be restored, or were set aside meanwhile by a change of flows.
    func unfit(_ restorer: ShardRestorer) -> [String: Int] {
        unfit(restorer.load.shard.number).merging(restorer.unfit) { $0 + $1 }
    }

    /// How many sessions of each flow are set aside in this shard.
    func unfit(_ number: Int) -> [String: Int] { unfitByShard[number] ?? [:] }

    private var unfitByShard: [Int: [String: Int]] {
        var unfit: [Int: [String: Int]] = [:]
        for session in sessions.setAsideSessions.values where !session.isQuarantined {
            unfit[shard(of: session.name), default: [:]][session.flow, default: 0] += 1
        }
        return unfit
    }

    func shard(of name: ByteString) -> Int { name.withBytes { journal.map.shard(of: $0) } }
}

extension FlowKind {
    /// Differs where files differ. A flow of the program goes by its states, events and timers: programs of the same version have the same.
    fileprivate var definitionDigest: String {
        origin?.fingerprint ?? FlowDefinitions.digest(states + [""] + events.map(\.name) + [""] + timers.map(\.name))
    }
}

// MARK: - Reports that a database has gone back in time

extension Persistence {
    /// To be called when the writer has reported something.
    func saveWhatIsMissing() {
        let rewritten = journal.writer.report.rewritten
        if rewritten > rewrittenRows {
            log.error(
                "the database has gone back in time: it lacked \(rewritten - rewrittenRows) commits that it had acknowledged, and gets them "
                    + "again; it has crashed with --durability everysec, was restored, or failed over to a replica that was behind"
            )
            rewrittenRows = rewritten
            rewinds += 1
        }
        for (shard, saved) in journal.writer.drainGaps() where self.shard(shard.number) == shard && serves(shard.number) {
            saveAgain(shard, saved)
        }
    }

    /// The sessions here are newer than the tables: they are saved again, and sessions that have ended are deleted again.
    private func saveAgain(_ shard: Shard, _ saved: [SavedVersion]) {
        var old = Dictionary(saved.map { (ByteString($0.name), $0) }) { first, _ in first }
        for session in sessions(ofShard: shard.number) {
            let name = session.nameBytes
            guard self.shard(of: name) == shard.number else { continue }
            let row = old.removeValue(forKey: name)
            let version = Int64(session.machine.version)
            if row?.version == version, row?.life == Int64(session.life) { continue }
            sessions.recordImage(of: session.machine)
            let since = row?.life == Int64(session.life) ? "after version \(row?.version ?? 0)" : "before version \(version)"
            log.write(
                .error, provokedBy: .sessionTrouble, about: LogSubject(session: name.text, flow: session.machine.kind.name),
                "the history of '\(name.text)' may lack changes \(since): the database has gone back in time. Its state is saved again"
            )
        }
        for name in old.keys where held[name] == nil { name.withStored { journal.drop(.max, named: $0) } }
    }
}
