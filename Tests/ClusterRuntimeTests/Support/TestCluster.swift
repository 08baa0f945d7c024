// A new database and nodes on it, as an operator starts them.

import Foundation
import PostgresServer
import TestSupport
import Testing

/// One server for the tests that leave it alone. It ends with the process.
enum SharedServer {
    private static let server: Result<PostgresServer, any Error> = Result { try PostgresServer(fsync: false) }

    static func get() throws -> PostgresServer { try server.get() }
}

final class TestCluster {
    let server: PostgresServer
    let database: String
    let folder: Folder
    private(set) var nodes: [String: RunningDaemon] = [:]
    private let program: String
    /// Of all nodes.
    private let environment: [String: String]
    private let options: [String]

    /// With the flows in `flows`, by name, beside those of the program.
    init(
        _ flows: [String: String], on server: PostgresServer? = nil, shards: Int = 8, program: String = "gamed",
        environment: [String: String] = [:], options: [String] = []
    ) throws {
        (self.program, self.environment, self.options) = (program, environment, options)
        self.server = try server ?? SharedServer.get()
        database = try self.server.newDatabase()
        folder = try Folder()
        try FileManager.default.createDirectory(atPath: folder.path + "/flows", withIntermediateDirectories: true)
        for (name, text) in flows { try write(text, as: name) }
        let made = try run(
            productsDirectory.appending(path: "gamed").path,
            ["--store", self.server.uri(database), "--init", "--shards", "\(shards)", "--config", "none"])
        try #require(made.status == 0, "\(made.output)")
    }

    /// Changes a flow's file. Nodes read it when they start, or with RELOAD.
    func write(_ text: String, as flow: String) throws {
        try text.write(toFile: "\(folder.path)/flows/\(flow).json5", atomically: true, encoding: .utf8)
    }

    /// Starts nodes, which are then those that the cluster has. `failpoint` is for the first.
    func start(_ names: String..., failpoint: String? = nil) throws {
        for (place, name) in names.enumerated() {
            try begin(name, place == 0 ? failpoint.map { ["GAMED_FAILPOINT": $0] } ?? [:] : [:])
        }
        try settle()
    }

    /// Waits until all nodes are up and serve as many shards each; or only have them, if they cannot load them all.
    func settle(serving: Bool = true) throws {
        for name in nodes.keys { try #require(nodes[name]?.waitUntilReplying() == true, "\(nodes[name]?.errors ?? "")") }
        try #require(eventually { areSharedOut && (areServed || !serving) }, "the shards are not shared out")
    }

    /// Starts a node, which may end before it is up. It reaches the database through `proxy`, if there is one.
    func begin(_ name: String, _ environment: [String: String] = [:], through proxy: Proxy? = nil) throws {
        let store = proxy.map { server.uri(database, port: $0.port) } ?? server.uri(database)
        nodes[name] = try startNode(name, at: store, environment)
    }

    /// Starts a node that need not be one of the cluster's.
    func startNode(_ name: String, at store: String, _ environment: [String: String] = [:]) throws -> RunningDaemon {
        let words = ["--flows", folder.path + "/flows", "--advertise", "\(name):1"] + options
        let quiet = ["GAMED_HTTP": "none", "GAMED_CONFIG": "none"]
        return try RunningDaemon(
            keepingIn: folder, words, environment: quiet.merging(self.environment) { $1 }.merging(environment) { $1 },
            store: store,
            socket: "\(folder.path)/\(name)-\(UUID().uuidString.prefix(4)).sock", program: program)
    }

    /// Removes a node that has ended by itself.
    func forget(_ name: String) { nodes[name] = nil }

    /// Whether every shard has an owner, and all have as many.
    var areSharedOut: Bool {
        let counts = "(SELECT count(*) AS n FROM shard WHERE owner IS NOT NULL GROUP BY owner) AS counts"
        let are = "count(*) = \(nodes.count) AND max(n) - min(n) <= 1 AND sum(n) = (SELECT count(*) FROM shard)"
        let settled = "SELECT \(are) FROM \(counts)"
        return (try? server.ask(settled, in: database)) == "t"
    }

    /// Whether the nodes know all shards as theirs, and have loaded them.
    private var areServed: Bool {
        let reports = nodes.values.compactMap { try? $0.answer("CLUSTER", "STATUS") }
        let shards = reports.compactMap { report in
            report["nodes"]?.list.first { $0["myself"]?.integer == 1 }?["shards"]?.integer
        }
        return reports.allSatisfy { $0["loading"]?.integer == 0 } && shards.reduce(0, +) == reports.first?["shards"]?.integer
    }

    func stop(_ name: String) {
        guard let node = nodes.removeValue(forKey: name) else { return }
        #expect(node.stop() == 0, "\(name):\n\(node.errors)")
    }

    func kill(_ name: String) { nodes.removeValue(forKey: name)?.killIt() }

    func node(_ name: String) throws -> RunningDaemon { try #require(nodes[name]) }

    // MARK: Asking

    /// Returns the node that owns this name's shard, once a node owns it.
    func owner(_ name: String) throws -> String {
        var owner: String?
        _ = eventually {
            owner = nodes.first { (try? $0.value.answer("STATE", name))?.isFromOwner == true }?.key
            return owner != nil
        }
        return try #require(owner, "no node owns \(name)")
    }

    /// Returns a name that begins like this and whose shard the node owns.
    func name(_ beginning: String, on node: String, where isRight: (String) throws -> Bool = { _ in true }) throws -> String {
        for number in 0..<200 {
            let name = "\(beginning)\(number)"
            if try owner(name) == node, try isRight(name) { return name }
        }
        return try #require(nil as String?, "\(node) has nothing")
    }

    /// Asks the nodes until the session's owner replies. Only for requests that may be sent twice.
    @discardableResult
    func ask(_ words: String...) throws -> Answer {
        var (answer, others): (Answer?, [String]) = (nil, [])
        _ = eventually {
            others = []
            for (name, node) in nodes {
                answer = try? node.answer(words: words)
                if answer?.isFromOwner ?? false { return true }
                others.append("\(name): \(answer.map { "\($0)" } ?? "nothing")")
            }
            answer = nil
            return false
        }
        return try #require(answer, "no node replies to \(words): \(others); \(errors)")
    }

    /// A variable of a session's.
    func value(_ variable: String, of name: String) throws -> Int? {
        let data = try ask("STATE", name)["data"]?.text ?? ""
        let object = try JSONSerialization.jsonObject(with: Data(data.utf8)) as? [String: Any]
        return object?[variable] as? Int
    }

    func becomes(_ value: Int, _ variable: String, of name: String) -> Bool {
        eventually { (try? self.value(variable, of: name)) == value }
    }

    /// The nodes' messages, for a failed test.
    var errors: String { nodes.map { "\($0.key):\n\($0.value.errors)" }.joined(separator: "\n") }

    /// The number of waiting messages.
    func waiting() throws -> String { try server.ask("SELECT count(*) FROM message", in: database) }
}

extension Answer {
    /// Whether the reply is from the node that owns the session.
    var isFromOwner: Bool { ![.moved, .tryAgain, .clusterDown, .loading].contains(code) }
}
