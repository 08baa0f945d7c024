// gamectl with a daemon that redirects it to another node.

import TestSupport
import Testing

@Suite struct `gamectl on the session of another node` {
    private let folder: Folder
    private let node: TcpDaemon
    private let stub: StubDaemon
    private var address: String { "127.0.0.1:\(node.port)" }

    init() throws {
        (folder, node) = (try Folder(), try TcpDaemon(token: TcpDaemon.token, ["--session", "room=turns"]))
        stub = try StubDaemon(at: folder.socket, views: [:], elsewhere: "127.0.0.1:\(node.port)")
    }

    private func gamectl(_ words: String...) throws -> Program {
        try Program(gamectlPath, ["--socket", folder.socket] + words)
    }

    @Test func `gamectl reports that the other node requires a token, and how to give one`() throws {
        defer { stub.leave() }
        let found = try gamectl("state", "room")
        #expect(
            found.errors
                == "gamectl: NOAUTH \(folder.socket) names the node \(address), which requires a token: give one that all nodes accept, with --token-file FILE or in GAMED_TOKEN, or run gamectl on that node's machine\n",
            "\(found)")
        #expect(found.status == 1)
    }

    @Test func `gamectl reports that the other node does not know the token`() throws {
        defer { stub.leave() }
        let found = try gamectl("--token", "wrong", "state", "room")
        #expect(found.errors.contains("names the node \(address): the token of --token was refused: "), "\(found)")
        #expect(found.errors.contains("give all nodes the same --token-file"), "\(found)")
    }

    @Test func `gamectl shows another node's session with a token that both nodes accept`() throws {
        defer { stub.leave() }
        let found = try gamectl("--token", TcpDaemon.token, "state", "room")
        #expect(found.status == 0 && found.output.contains("flow     turns"), "\(found)")
    }
}

@Suite struct `gamectl in a cluster with a node that has no TCP listener` {
    private let folder: Folder
    private let stub: StubDaemon

    init() throws {
        folder = try Folder()
        let views = ["room": #"{"session":"room"}"#]
        stub = try StubDaemon(at: folder.socket, views: views, replies: ["HELLO": Self.map(["mode": "cluster"])])
        stub.reply(Self.status(["venue-a:7001"]), to: "CLUSTER")
    }

    private static func bulk(_ text: String) -> String { "$\(text.utf8.count)\r\n\(text)\r\n" }

    private static func map(_ fields: KeyValuePairs<String, String>, _ more: String = "") -> String {
        "%\(fields.count + (more.isEmpty ? 0 : 1))\r\n" + fields.map { bulk($0.key) + bulk($0.value) }.joined() + more
    }

    /// The reply to CLUSTER STATUS of the node `venue-a`; each node has 3 shards.
    private static func status(_ addresses: [String], shards: Int? = nil) -> String {
        let nodes = addresses.map { map(["id": "0123456789", "address": $0, "state": "here"], bulk("shards") + ":3\r\n") }
        let list = bulk("nodes") + "*\(nodes.count)\r\n" + nodes.joined()
        guard let shards else { return map(["address": "venue-a:7001"], list) }
        return "%3\r\n" + bulk("address") + bulk("venue-a:7001") + bulk("shards") + ":\(shards)\r\n" + list
    }

    @Test(arguments: [["sessions"], ["sessions", "--match", "room-9"], ["--json", "sessions"], ["next"], ["--json", "next"]])
    func `gamectl sessions and next report shards without an owner, with status 1`(words: [String]) throws {
        defer { stub.leave() }
        stub.reply("*0\r\n", to: "NEXT")
        stub.show("room", nil)
        let sentence = "16 shards have no owner: sessions may be missing here; gamectl cluster shows more"
        stub.reply(Self.status(["venue-a:7001"], shards: 16), to: "CLUSTER")
        let found = try Program(gamectlPath, ["--socket", folder.socket] + words)
        #expect(found.errors == "gamectl: 13 of \(sentence)\n" && found.status == 1, "\(found)")
        stub.reply(Self.status(["venue-a:7001"], shards: 3), to: "CLUSTER")
        let whole = try Program(gamectlPath, ["--socket", folder.socket] + words)
        #expect(!whole.errors.contains("shards") && whole.status == 0, "\(whole)")
    }

    @Test func `gamectl sessions reports a node that serves nothing`() throws {
        defer { stub.leave() }
        stub.reply(Self.map(["failure": "the database does not answer"], Self.bulk("nodes") + "*0\r\n"), to: "CLUSTER")
        let found = try Program(gamectlPath, ["--socket", folder.socket, "sessions"])
        #expect(found.errors == "gamectl: this node serves nothing: the database does not answer\n", "\(found)")
        #expect(found.output == "room\n" && found.status == 1, "\(found)")
    }

    @Test(arguments: [("3", 1), ("0", 0)]) func `gamectl health is 0 only if each shard has an owner`(
        unowned: String, status: Int32
    ) throws {
        defer { stub.leave() }
        let info = "gamed_version:1\r\ncluster_failure:\r\ncluster_shards:16\r\ncluster_unowned_shards:\(unowned)"
        stub.reply(Self.bulk(info), to: "INFO")
        let found = try Program(gamectlPath, ["--socket", folder.socket, "health"])
        let sentence = "3 of 16 shards have no owner, and clients of their sessions get CLUSTERDOWN"
        #expect(found.output == (status == 0 ? "healthy\n" : sentence + "\n"), "\(found)")
        #expect(found.status == status)
        let doctor = try Program(gamectlPath, ["--socket", folder.socket, "doctor"])
        #expect(doctor.output.contains(sentence) == (status == 1), "\(doctor)")
    }

    @Test func `gamectl sessions and watch report the node, and how to make it reachable`() throws {
        defer { stub.leave() }
        stub.reply(Self.status(["venue-a:7001", "venue-b:/run/gamed/gamed.sock"]), to: "CLUSTER")
        for word in ["sessions", "watch"] {
            let found = try Program(gamectlPath, ["--socket", folder.socket, word])
            #expect(
                found.errors.contains(
                    "the node venue-b:/run/gamed/gamed.sock listens on its UNIX socket only, and cannot be asked from here: "
                        + "start that node with --listen HOST:PORT"), "\(found)")
            #expect(found.status == 2)
        }
    }

    @Test func `A watch continues if such a node joins`() throws {
        defer { stub.leave() }
        let watch = try RunningProgram(gamectlPath, ["--socket", folder.socket, "watch"], environment: [:])
        defer { watch.killIt() }
        try #require(watch.complains("waiting for events of all sessions"))
        stub.reply(Self.status(["venue-a:7001", "venue-b:/run/gamed/gamed.sock"]), to: "CLUSTER")
        let before = stub.count(of: "CLUSTER", "STATUS")
        try #require(eventually { stub.count(of: "CLUSTER", "STATUS") > before + 1 }, "\(watch.errors)")
        stub.publish("session:room", #"{"what":"dropped","session":"room","flow":"turns","from":"first","to":"first"}"#)
        #expect(watch.says("room  dropped"), "\(watch.errors)")
    }
}
