// A daemon with a store that others may share: opened, joined, and left.

import Cluster
import Commands
import EventLoop
import Journal
import Logging
import Network
import ClusterRuntime
import Posix
import PostgresStore
import Sessions
import Store
import Web

/// The daemon's part in a cluster, from start to stop.
final class ClusterService {
    let node: ClusterNode
    private let persistence: Persistence

    /// How long a start waits for a database that is not there yet. The service manager waits longer.
    private static let patience = Duration.seconds(30)

    /// Opens the store. Nothing is asked of others before `node.start()`.
    init(_ options: Options, at address: String, of daemon: Daemon, on loop: Loop, log: Log) throws {
        var random = SystemRandomNumberGenerator()
        let id = NodeID(random: &random)
        let store = try PostgresStore(
            address, durability: options.sharedDurability, historyCapacity: options.limits.historyLines, node: id.description,
            patience: Self.patience, whenWaiting: { log.notice("waiting for the database: \($0)") })
        try options.checkShards(of: store)
        let clock = StoreClock()
        let limits = Persistence.Limits(
            historyLines: options.limits.historyLines, sessionHistory: options.limits.sessionHistory)
        persistence = try Persistence(store, of: daemon.sessions, on: loop, clock, limits: limits, log: log)
        persistence.noteTraps(CommandTable.all.flightNames)
        let member = Member(id: id, address: options.advertised(port: nil), map: persistence.map)
        node = try ClusterNode(member, persistence, on: loop, clock, log: log) { try store.openRegistry() }
        daemon.join(node, keeping: persistence)
    }

    // MARK: Where it is found

    /// `listening` is the port where it listens first.
    func publishAddress(_ options: Options, listening: UInt16?, _ log: Log) {
        let address = options.advertised(port: listening)
        node.setAddress(address)
        guard address.port == 0 else { return }
        log.warning(
            "nobody can reach this node's sessions through other nodes, since it does not listen over TCP: --listen HOST:PORT")
    }

    /// Other nodes pass requests on to its page.
    func open(_ web: WebServer, _ options: Options, _ certificate: ServerCertificate?, _ log: Log) {
        guard let listening = HostAndPort(web.address), let address = options.advertisedPage(listening: listening) else {
            log.notice(
                "other nodes' pages do not show this node's sessions, since only this machine reaches its own at \(web.address): "
                    + "--http HOST:PORT, or --advertise-http HOST:PORT")
            return
        }
        let digest = web.isEncrypted ? certificate?.digest : nil
        node.open(NodeEndpoint(address: address, certificate: digest, key: web.relayKey))
    }

    func reportMissingPage(_ log: Log) {
        log.notice("other nodes' pages do not show this node's sessions, since it has no page itself: --http HOST:PORT")
    }

    /// Once nothing is handed over any more.
    func finish() {
        // Changes that are not committed by then are those of shards that others have.
        try? persistence.finish(within: .seconds(2))
        node.finish()
    }
}

extension Options {
    /// Nobody shall believe that a number of shards is in force which is not.
    func checkShards(of store: PostgresStore) throws(UsageError) {
        guard let asked = cluster.shards, asked != store.shardCount else { return }
        throw UsageError(
            "\(store.place) has \(store.shardCount) shards, which cannot be changed, and --shards says \(asked)")
    }
}

extension Service {
    /// `--init`.
    static func initialize(_ configuration: Configuration) throws {
        if let error = configuration.error { throw error }
        let cluster = configuration.options.cluster
        guard let address = cluster.store else {
            throw UsageError(
                of: "--init",
                "makes tables in the database of --store, which is missing: --store postgres://gamed@db/gamed --init")
        }
        let (place, outcome) = try SchemaSetup.run(address, shards: cluster.shards, usual: ShardMap.usualCount)
        switch outcome {
        case .made(let shards): try StandardStream.output.writeLine("made gamed's tables in \(place), with \(shards) shards")
        case .found(let shards):
            try StandardStream.output.writeLine("\(place) has gamed's tables already, with \(shards) shards")
        }
    }
}
