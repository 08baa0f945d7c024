// CLUSTER: the nodes that sessions are spread over, as clients of Redis Cluster ask for them.

import Cluster
import Memory
import RESP
import Sessions

extension Command {
    package static let cluster = Command(
        name: "CLUSTER", group: .service, needs: .reads(.ownSessions),
        summary: "Shows the nodes of a cluster and the sessions that each owns.",
        details: """
            All subcommands but STATUS work as in Redis Cluster, where a session's name is a key, and every node a master. \
            STATUS is for operators: the nodes with their shards and epochs, shards without an owner and the reason, and the \
            latest moves. COUNTKEYSINSLOT and GETKEYSINSLOT cover this node's sessions. Nodes join and leave by being \
            started and stopped; nothing else changes the cluster. Without --store there is only KEYSLOT.
            """,
        examples: ["CLUSTER SLOTS", "CLUSTER STATUS", "CLUSTER KEYSLOT room-7"],
        Form(word: "SLOTS") { call throws(CommandError) in try call.member().slots },
        Form(word: "SHARDS") { call throws(CommandError) in try call.member().shards },
        Form(word: "NODES") { call throws(CommandError) in VerbatimText(try call.member().nodes) },
        Form(word: "INFO") { call throws(CommandError) in VerbatimText(try call.member().info) },
        Form(word: "STATUS") { call throws(CommandError) in ClusterStatus(member: try call.member()) },
        Form(word: "MYID") { call throws(CommandError) in try call.member().name },
        Form(word: "KEYSLOT", .required("session", .bytes)) { _, name in name.withBytes(HashSlot.of) },
        Form(word: "COUNTKEYSINSLOT", .required("slot", .number)) { call, slot throws(CommandError) in
            try call.sessions(inSlot: slot, else: "Invalid slot").count
        },
        Form(word: "GETKEYSINSLOT", .required("slot", .number), .required("count", .number)) {
            call, slot, count throws(CommandError) in
            let complaint = "Invalid slot or number of keys"
            let sessions = try call.sessions(inSlot: slot, else: complaint)
            guard let count, count >= 0 else { throw CommandError(.generic, complaint) }
            return sessions.prefix(count).map(\.nameBytes)
        },
        Form(word: "HELP") { _ in clusterHelp.map(SimpleText.init) })

    private static let clusterHelp = [
        "CLUSTER <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
        "COUNTKEYSINSLOT <slot>", "    Return the number of sessions in <slot> on this node.",
        "GETKEYSINSLOT <slot> <count>", "    Return their names.",
        "INFO", "    Return information about the cluster.",
        "KEYSLOT <session>", "    Return the hash slot of <session>.",
        "MYID", "    Return the node id.",
        "NODES", "    Return cluster configuration seen by node. Output format:",
        "    <id> <ip:port> <flags> <master> <pings> <pongs> <epoch> <link> <slot> ...",
        "SLOTS", "    Return information about slots range mappings. Each range is made of:",
        "    start, end, master and replicas IP addresses, ports and ids",
        "SHARDS", "    Return information about slot range mappings and the nodes associated with them.",
        "STATUS", "    Return nodes, shards, epochs, leases and moves, for operators.",
        "HELP", "    Prints this help.",
    ]
}

extension WordParser<Int?> {
    /// Nil if the word is not a number: a command of Redis has its own error for that.
    fileprivate static let number = WordParser(type: .integer(from: 0)) { word, _ in word.integer }
}

extension Call {
    /// The cluster, for commands that make no sense without.
    func member() throws(CommandError) -> any ClusterMember {
        guard let cluster = host.cluster else { throw CommandError(.generic, "This instance has cluster support disabled") }
        return cluster
    }

    /// The sessions in the slot that the client may see.
    fileprivate func sessions(inSlot slot: Int?, else complaint: String) throws(CommandError) -> [Session] {
        let member = try member()
        guard let slot, (0..<HashSlot.count).contains(slot) else { throw CommandError(.generic, complaint) }
        charge(requests: 64)
        return member.sessions(ofSlot: slot).filter(client.sees)
    }
}

// MARK: - READONLY, READWRITE and ASKING: clients of Redis Cluster say them. There are no replicas, and a session is at one node at a time.

extension Command {
    package static let readonly = Command(
        name: "READONLY", group: .connection, needs: .nothing,
        summary: "In a cluster, no effect: there are no replicas. Without --store, an error.", examples: ["READONLY"],
        doesNothing)

    package static let readwrite = Command(
        name: "READWRITE", group: .connection, needs: .nothing,
        summary: "In a cluster, no effect: there are no replicas. Without --store, an error.", examples: ["READWRITE"],
        doesNothing)

    package static let asking = Command(
        name: "ASKING", group: .connection, needs: .nothing,
        summary:
            "In a cluster, no effect: no node owns a session in transfer; clients get TRYAGAIN. Without --store, an error.",
        examples: ["ASKING"], doesNothing)

    /// Replies with OK, where there is a cluster.
    private static let doesNothing = Form { call throws(CommandError) in
        _ = try call.member()
        return EncodedReply.ok
    }
}
