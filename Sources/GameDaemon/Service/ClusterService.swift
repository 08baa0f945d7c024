// A daemon with a store that others may share: opened, joined, and left.

import Cluster
import ClusterRuntime
import Commands
import EventLoop
import Glibc
import Journal
import Logging
import Network
import Posix
import PostgresStore
import Sessions
import Store
import Texts
import TLS
import Web

final class ClusterService {
    let node: ClusterNode
    private let persistence: Persistence

    /// How long a start waits for a database that is not there yet. The service manager waits longer.
    private static let timeout = Duration.seconds(30)
    /// How long a stop waits for the database once everything is handed over, or the time for that is over.
    static let maxWritingTime = Duration.seconds(2)

    /// Opens the store. Nothing is asked of others before `node.start()`.
    init(_ options: Options, at address: String, of daemon: Daemon, on loop: Loop, log: Log) throws {
        var random = SystemRandomNumberGenerator()
        let id = NodeID(random: &random)
        let store = try PostgresStore(
            address, durability: options.sharedDurability, historyCapacity: options.limits.historyLines, node: id.description,
            timeout: Self.timeout, onWaiting: { log.notice("waiting for the database: \($0)") })
        try options.checkShards(of: store)
        let clock = StoreClock()
        persistence = try Persistence(
            store, of: daemon.sessions, on: loop, clock, historyLines: options.limits.historyLines,
            sessionHistory: options.limits.sessionHistory, log: log)
        persistence.enableTrapReports(CommandTable.all.flightNames)
        let member = Member(id: id, address: options.advertised(port: nil), map: persistence.map)
        node = try ClusterNode(member, persistence, on: loop, clock, log: log) { try store.openRegistry() }
        daemon.join(node, keeping: persistence)
    }

    /// `listening` is the port where it listens first.
    func publishAddress(_ options: Options, listening: UInt16?, _ log: Log) {
        let address = options.advertised(port: listening)
        node.setAddress(address)
        guard address.port == 0 else { return }
        log.warning(
            "no TCP listener: other nodes cannot redirect clients here; set --listen HOST:PORT")
    }

    /// Other nodes pass requests on to its page.
    func open(_ web: WebServer, _ options: Options, _ certificate: ServerCertificate?, _ log: Log) {
        guard let listening = HostAndPort(web.address), let address = options.advertisedPage(listening: listening) else {
            log.notice(
                "other nodes' pages cannot show this node's sessions: only this machine can reach its page at \(web.address); "
                    + "set --http HOST:PORT or --advertise-http HOST:PORT")
            return
        }
        let digest = web.isEncrypted ? certificate?.digest : nil
        node.open(NodeEndpoint(address: address, certificate: digest, key: web.relayKey))
    }

    func reportMissingPage(_ log: Log) {
        log.notice("other nodes' pages cannot show this node's sessions: it has no page; set --http HOST:PORT")
    }

    /// Hands everything over, within this time.
    func leave(within timeout: Duration) {
        persistence.prepareToLeave()
        node.leave(within: timeout)
    }

    /// Called when all hand-overs are done, or their time is over. Logs what is not done. Throws if acknowledged changes may be
    /// lost.
    func finish(_ log: Log) throws(StoreError) {
        let failure = node.registryFailure
        defer {
            node.finish()
            reportKeptShards(log, because: failure)
        }
        do throws(StoreError) {
            try persistence.finish(within: Self.maxWritingTime)
        } catch {
            // With `always`, a change is acknowledged after its commit.
            guard persistence.journal.durability == .always else { throw error }
            log.warning("\(error)")
        }
    }

    private func reportKeptShards(_ log: Log, because failure: String?) {
        let count = node.keptShards
        guard count > 0 else { return }
        let reason = failure ?? "the database has not confirmed that this node left"
        log.warning(
            "cannot hand over \("shard".counted(count)): \(reason); other nodes take over once this node's lease has expired")
    }
}

extension Options {
    /// A given number of shards must be the one in force.
    func checkShards(of store: PostgresStore) throws(UsageError) {
        guard let asked = cluster.shards, asked != store.shardCount else { return }
        throw UsageError(
            "\(store.place) has \(store.shardCount) shards; --shards \(asked) cannot change that")
    }
}

extension Service {
    /// `--init`.
    static func initialize(_ configuration: Configuration) throws {
        let cluster = try configuration.optionsOfTask().cluster
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

// MARK: - Which addresses speak TLS, and with which certificate

extension Options {
    /// Whether there is a certificate. TLS is turned on and off with a restart.
    var hasCertificate: Bool { tls.certificate != nil }

    func isEncrypted(_ address: TcpAddress) -> Bool { address.asksForTLS ?? hasCertificate }

    /// The certificate for new connections; nil without one. Throws if a file is missing or wrong.
    func tlsContext() throws -> TLSContext? {
        try checkTLS()
        guard hasCertificate else { return nil }
        return try locating("tls-cert") { try TLSContext.server(tls) }
    }

    private func checkTLS() throws {
        switch (tls.certificate, tls.key) {
        case (.some, nil):
            throw located(UsageError(of: "--tls-cert", "needs the certificate's key, too: --tls-key FILE"), "tls-cert")
        case (nil, .some): throw located(UsageError(of: "--tls-key", "needs its certificate, too: --tls-cert FILE"), "tls-key")
        case (.some, .some): return
        case (nil, nil): break
        }
        if tls.authority != nil {
            let error = UsageError(of: "--tls-client-ca", "needs a server certificate: --tls-cert FILE --tls-key FILE")
            throw located(error, "tls-client-ca")
        }
        guard let (setting, address) = tcpAddresses.first(where: { $0.1.asksForTLS == true }) else { return }
        let error = UsageError("\(address) uses TLS, which needs a certificate: --tls-cert FILE --tls-key FILE")
        throw located(error, setting)
    }

    /// With the setting that each comes from; without the default page's.
    var tcpAddresses: [(String, TcpAddress)] {
        addresses.map { ("listen", $0) } + (web.place.asked.map { [("http", $0)] } ?? [])
    }

    /// Logs doubtful settings, once no mistake is left.
    func warn(of context: TLSContext?, _ log: Log) {
        for warning in context?.warnings ?? [] { log.warning(warning) }
        warnOfAccounts(log)
        for (_, address) in tcpAddresses where !address.isLoopback && !isEncrypted(address) {
            log.warning(
                "other machines can reach \(address), and the connection is not encrypted; anyone on the network can read it and the "
                    + "token: --tls-cert FILE and --tls-key FILE encrypt it")
        }
    }

    /// The file is read each time that it is needed, so that it may still be corrected while the daemon runs.
    private func warnOfAccounts(_ log: Log) {
        guard let accounts else { return }
        do { try AccountFile.check(accounts) } catch {
            log.warning("\(error); until that is corrected, the flow onboarding cannot load accounts (--accounts)")
        }
    }
}

// MARK: - The page's address

extension Options {
    /// The place that the options ask for. Throws if other machines could reach a page that needs no login.
    func pagePlace() throws -> Web.Place {
        guard web.isOpen, let asked = web.place.asked, !asked.isLoopback else { return web.place }
        let error = UsageError(
            of: "--http-open", "is for loopback: other machines can reach \(asked), and every client there would be a guest")
        throw located(error, "http-open")
    }
}

extension Options.Web.Place {
    private static let usual = "127.0.0.1:7650"

    /// Nil without a page.
    var port: UInt16? {
        switch self {
        case .none: nil
        case .address(let address): address.port
        case .standard: HostAndPort(Self.usual)?.port
        }
    }

    /// The requested address; nil without a page, or for the default address, which may be in use.
    var asked: TcpAddress? {
        if case .address(let address) = self { address } else { nil }
    }

    /// Returns a socket that listens there, or nil if there is to be no page. Calls `warn` with the reason if the default page cannot be served.
    func listening(_ warn: (String) -> Void) throws -> ListeningSocket? {
        switch self {
        case .none: return nil
        case .address(let address): return try TcpListener.listening(at: address)
        case .standard:
            let address = try TcpAddress(Self.usual, option: "--http")
            do throws(ListenerError) {
                return try TcpListener.listening(at: address)
            } catch {
                warn("no page: \(error); --http HOST:PORT serves it elsewhere, --http none turns it off")
                return nil
            }
        }
    }
}

extension Service {
    static func settings(of page: TcpAddress, _ options: Options) -> WebSettings {
        var settings = WebSettings(page)
        settings.isOpen = options.web.isOpen
        settings.isEncrypted = options.isEncrypted(page)
        settings.names = options.web.names
        settings.hasOpenMetrics = options.web.hasOpenMetrics
        settings.loginFile = options.dataDirectory.map { "\($0)/logins" }
        settings.pageFolder = environmentVariable("GAMED_PAGE")
        return settings
    }
}
