// A node whose requests to the registry a test chooses.

import PostgresStore
import Store
@testable import Cluster

final class RegistryClient {
    struct Refused: Error { let answer: Answer }

    private(set) var registry: PostgresRegistry
    let id: NodeID
    let address: NodeAddress
    private(set) var incarnation: Incarnation
    private(set) var update: RegistryUpdate
    private var epochs: [Int: ShardRecord] = [:]

    convenience init(_ database: TestDatabase) throws { try self.init(database.store(lease: .seconds(30))) }

    init(_ store: PostgresStore) throws {
        var random = SystemRandomNumberGenerator()
        id = NodeID(random: &random)
        registry = try store.openRegistry()
        // Each node has an address of its own.
        address = NodeAddress(host: id.description, port: 7_654)
        let answer = registry.ask(.join(Joining(id: id, attempt: 1, address: address, standing: NodeStatus())))
        guard case .joined(let incarnation, let update, _) = answer else { throw Refused(answer: answer) }
        (self.incarnation, self.update) = (incarnation, update)
    }

    @discardableResult
    func renew(_ change: (inout Renewal) -> Void = { _ in }) throws -> RegistryUpdate {
        var renewal = Renewal(incarnation: incarnation, seen: update.version)
        change(&renewal)
        let answer = registry.ask(.renew(renewal))
        guard case .update(let update) = answer else { throw Refused(answer: answer) }
        self.update = update
        for record in update.shards { epochs[record.shard] = record }
        return update
    }

    /// Becomes the owner of shards that have never had one.
    func take(_ shards: Int...) throws {
        _ = try renew { $0.moves = shards.map { Move(shard: $0, epoch: 0, from: nil, to: incarnation) } }
    }

    func reconnect(to store: PostgresStore) throws { registry = try store.openRegistry() }

    func release(_ shard: Int) throws {
        _ = try renew { $0.moves = [Move(shard: shard, epoch: epochs[shard]?.epoch ?? 0, from: incarnation, to: nil)] }
    }

    /// Takes free shards, releases its own, or publishes a node state, in random order of shards.
    func shuffle(_ round: Int) {
        _ = try? renew { renewal in
            guard round % 3 != 0 else { return }
            renewal.moves = (0..<16).shuffled().compactMap { shard in
                let record = epochs[shard]
                let owner = record?.owner
                guard owner == nil || owner == incarnation else { return nil }
                return Move(shard: shard, epoch: record?.epoch ?? 0, from: owner, to: owner == nil ? incarnation : nil)
            }
            if round % 5 == 0 { renewal.standing = NodeStatus(declined: [round % 16: ["quiz"]]) }
        }
    }
}
