// A shard as it was read, ready for the loop.

import Sessions
import Store

struct LoadedShard: Sendable {
    let shard: Shard
    /// What its sessions' times are measured to: loading takes longer.
    let moment: StoredTime
    var summary = ShardSummary()
    var parts: [StoredSessions] = []
    /// In pieces, each for one turn.
    var lines: [[StoredLine]] = []
    mutating func append(_ line: StoredLine) {
        if lines.last.map({ $0.count == Self.linesAtOnce }) ?? true { lines.append([]) }
        lines[lines.count - 1].append(line)
    }

    private static let linesAtOnce = 2_000

    /// Acknowledged commits that a database which went back in time has lost, and that this node does not have.
    var lostCommits: Int64 = 0
}

/// What has come of reading a shard.
enum ShardReading: Sendable {
    case loaded(LoadedShard)
    /// This node cannot have it: these flows are not here.
    case lacks(Shard, flows: [String])
    /// It is another's by now, or was not to be read.
    case gone(Shard)
    /// It is tried again.
    case unreadable(Shard, problem: String)

    var shard: Shard {
        switch self {
        case .loaded(let loaded): loaded.shard
        case .lacks(let shard, _), .gone(let shard), .unreadable(let shard, _): shard
        }
    }

    /// The memory that it takes, about.
    var bytes: Int {
        guard case .loaded(let loaded) = self else { return 0 }
        return loaded.parts.reduce(0) { $0 + $1.size }
    }
}
