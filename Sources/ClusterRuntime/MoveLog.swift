// The latest changes of shards' owners that this node has seen.

import Cluster
import Commands
import Timers

package struct MoveLog {
    private static let maxCount = 256

    /// The newest last.
    package private(set) var entries: [ClusterReport.Move] = []
    private var owners: [Incarnation?] = []
    private var epochs: [Int64] = []
    private var addresses: [Incarnation: NodeAddress] = [:]

    /// Logs ownership changes since the last view. The first view only sets the baseline. A view without a version is of a node that asks for everything
    /// again.
    mutating func record(_ view: ClusterView, at now: Instant) {
        guard view.version > 0 else { return }
        for node in view.nodes { addresses[node.incarnation] = node.address }
        let (newOwners, newEpochs) = (view.owners, view.epochs)
        if owners.count == newOwners.count {
            for shard in newOwners.indices where epochs[shard] != newEpochs[shard] {
                // Raised after the registry went back in time.
                if owners[shard] == newOwners[shard], newEpochs[shard] >= epochs[shard] + Remembered.jump { continue }
                entries.append(
                    ClusterReport.Move(
                        at: now, shard: shard, epoch: newEpochs[shard], from: owners[shard].flatMap { addresses[$0] },
                        to: newOwners[shard].flatMap { addresses[$0] }))
            }
        }
        entries.removeFirst(max(0, entries.count - Self.maxCount))
        (owners, epochs) = (newOwners, newEpochs)
        let known = Set(view.nodes.map(\.incarnation)).union(owners.compactMap(\.self))
        addresses = addresses.filter { known.contains($0.key) }
    }
}
