// Which definitions of flows a node has, and which sessions they do not fit, for the other nodes.

import Cluster
import GameFlow
import Memory
import Sessions

extension Persistence {
    /// Of the flows that are hosted.
    package var definitions: FlowDefinitions {
        FlowDefinitions(Dictionary(sessions.flows.map { ($0.name, $0.definitionDigest) }) { first, _ in first })
    }

    /// How many sessions of each flow are set aside in shards that are here, since the definitions do not fit them.
    package var misfits: [Int: [String: Int]] {
        var misfits: [Int: [String: Int]] = [:]
        for session in sessions.setAsideSessions.values where !session.isQuarantined {
            let shard = shard(of: session.name)
            if serves(shard) { misfits[shard, default: [:]][session.flow, default: 0] += 1 }
        }
        return misfits
    }

    /// How many sessions of each flow could not be restored, or were set aside meanwhile by a change of flows.
    func unfit(_ restorer: ShardRestorer) -> [String: Int] {
        unfit(restorer.load.shard.number).merging(restorer.unfit) { $0 + $1 }
    }

    /// How many sessions of each flow are set aside in this shard.
    func unfit(_ number: Int) -> [String: Int] {
        var unfit: [String: Int] = [:]
        for session in sessions.setAsideSessions.values where !session.isQuarantined && shard(of: session.name) == number {
            unfit[session.flow, default: 0] += 1
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
