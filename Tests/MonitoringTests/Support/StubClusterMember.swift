// A node of a cluster of three, with statistics that a test sets.

import Cluster
import RESP
import Sessions
@testable import Commands

final class StubClusterMember: ClusterMember {
    var statistics = ClusterStatistics()
    let name = String(repeating: "a", count: 40)
    let failure: String? = nil
    let report = ClusterReport(at: .zero)
    let others: [RemoteNode] = []
    let incarnationNumber: Int64 = 1
    let wallNanoseconds: Int64 = 0

    func check(slot: Int) throws(CommandError) {}
    func other(ofSlot slot: Int) -> RemoteNode? { nil }
    func sessions(ofSlot slot: Int) -> [Session] { [] }

    var peers: [ClusterPeer] {
        [ClusterPeer.State.here, .silent, .here].enumerated().map { number, state in
            ClusterPeer(
                name: number == 0 ? name : "\(number)", host: "venue-\(number)", port: 7_654, http: nil,
                incarnation: Int64(number), isMyself: number == 0, state: state, slots: [], shards: [], epoch: 1,
                missingFlows: [])
        }
    }
}
