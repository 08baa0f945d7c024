// The statements that raise a registry which went back in time. See Renewal in Cluster/Registry/Request.swift.

import Cluster
import Postgres

extension Remembered {
    /// `lease` is in microseconds.
    func raisingSteps(lease: Int64) -> [(Statement, [Parameter])] {
        let rewinds = Parameter.int64(rewinds)
        let shards = Parameter.array(BinaryArray(epochs.indices.map { Int32($0) }))
        let first: [(Statement, [Parameter])] = [
            (RegistryStatements.lockShards, [shards]), (RegistryStatements.raiseVersion, [.int64(version), rewinds]),
        ]
        let last: [(Statement, [Parameter])] = [
            (RegistryStatements.skipIncarnations, [rewinds]),
            (RegistryStatements.raiseEpochs, [rewinds, shards, .array(BinaryArray(epochs)), .array(ownersAsArray)]),
            (RegistryStatements.lockOrphans, []), (RegistryStatements.orphan, []),
        ]
        return first + nodes.flatMap { $0.restoringSteps(rewinds, lease) } + last
    }

    private var ownersAsArray: BinaryArray {
        let array = BinaryArray(of: .int64)
        for owner in owners {
            if let owner { array.append(owner.number) } else { array.appendNull() }
        }
        return array
    }
}

extension NodeRecord {
    fileprivate func restoringSteps(_ rewinds: Parameter, _ lease: Int64) -> [(Statement, [Parameter])] {
        let node: [Parameter] = [
            rewinds, .int64(incarnation.number), .text("\(id)"), .text(address.host), .int32(Int32(clamping: address.port)),
        ]
        return [
            (RegistryStatements.endOlder, node),
            (RegistryStatements.restoreNode, node + [.int64(lease), .text(standing.text)]),
        ]
    }
}
