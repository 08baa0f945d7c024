import Cluster
import Testing
import Timers

@testable import ClusterRuntime

@Suite struct `The log of moves` {
    /// Shard 0 is node 1's, shard 1 is node 2's or `second`'s.
    private func view(_ version: Int64, epochs: [Int64], second: Int64 = 2) -> ClusterView {
        var random = SystemRandomNumberGenerator()
        let nodes = [1, 2].map {
            NodeRecord(
                id: NodeID(random: &random), incarnation: Incarnation($0), address: NodeAddress(host: "node-\($0)", port: 7654),
                standing: NodeStatus(), hasEnded: false)
        }
        let owners = [1, second].map { Incarnation($0) }
        let shards = epochs.indices.map { ShardRecord(shard: $0, owner: owners[$0], epoch: epochs[$0]) }
        var view = ClusterView(map: ShardMap(count: 2) ?? .usual)
        view.apply(
            RegistryUpdate(
                time: RegistryTime(microseconds: 0), version: version, nodes: nodes, shards: shards, lapsing: []))
        return view
    }

    @Test func `A raise of all epochs is no move, unless a shard gets another owner by it`() {
        var moves = MoveLog()
        moves.record(view(1, epochs: [4, 4]), at: .zero)
        moves.record(view(2, epochs: [4, 5]), at: .zero)
        #expect(moves.entries.map(\.shard) == [1])
        let raised = 2 + Remembered.jump
        moves.record(ClusterView(map: ShardMap(count: 2) ?? .usual), at: .zero)
        moves.record(view(raised, epochs: [4 + Remembered.jump, 5 + Remembered.jump]), at: .zero)
        #expect(moves.entries.map(\.shard) == [1])
        let again = [4 + 2 * Remembered.jump, 5 + 2 * Remembered.jump]
        moves.record(view(raised + Remembered.jump, epochs: again, second: 1), at: .zero)
        #expect(moves.entries.map(\.shard) == [1, 1])
        #expect(moves.entries.last?.from?.host == "node-2" && moves.entries.last?.to?.host == "node-1")
    }
}
