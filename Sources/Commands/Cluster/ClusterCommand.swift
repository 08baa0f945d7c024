// CLUSTER: the nodes that sessions are spread over, as clients of Redis Cluster ask for them.

import Cluster
import RESP
import Sessions

extension Command {
    package static let cluster: Command = Command(
        name: "CLUSTER", group: .service, needs: .reads(.ownSessions),
        syntax:
            "CLUSTER SLOTS|SHARDS|NODES|INFO|STATUS|MYID|KEYSLOT session|COUNTKEYSINSLOT slot|GETKEYSINSLOT slot count|HELP",
        summary: "Shows the nodes of a cluster, and which has which sessions.",
        details: """
            All but STATUS is as in Redis Cluster, where a session's name is a key, and every node a master. STATUS is for people: the nodes \
            with their shards and epochs, what is without an owner and why, and the latest moves. COUNTKEYSINSLOT and GETKEYSINSLOT are \
            of the sessions that are here. Nodes join and leave by being started and stopped, and nothing else changes the cluster. \
            Without --store there is only KEYSLOT.
            """,
        examples: ["CLUSTER SLOTS", "CLUSTER STATUS", "CLUSTER KEYSLOT room-7"],
        words: 2...4
    ) { call throws(CommandError) in
        guard let part = ClusterPart(call.text(1)) else {
            throw CommandError(.generic, "unknown subcommand '\(call.quoted(1))'. Try CLUSTER HELP.")
        }
        guard call.count == part.words else {
            throw CommandError(.generic, "wrong number of arguments for 'cluster|\(part.rawValue)' command")
        }
        try call.answer(part)
    }
}

/// What CLUSTER can be asked for.
enum ClusterPart: String {
    case slots, shards, nodes, info, status, myid, keyslot, countkeysinslot, getkeysinslot, help

    init?(_ word: String) { self.init(rawValue: word.lowercased()) }

    /// How many words there are with it.
    var words: Int {
        switch self {
        case .slots, .shards, .nodes, .info, .status, .myid, .help: 2
        case .keyslot, .countkeysinslot: 3
        case .getkeysinslot: 4
        }
    }
}

extension Call {
    /// The cluster, for commands that make no sense without.
    func member() throws(CommandError) -> any ClusterMember {
        guard let cluster = host.cluster else { throw CommandError(.generic, "This instance has cluster support disabled") }
        return cluster
    }

    fileprivate func answer(_ part: ClusterPart) throws(CommandError) {
        switch part {
        case .slots: ClusterTopology(of: try member()).appendSlots(to: reply)
        case .shards: ClusterTopology(of: try member()).appendShards(to: reply)
        case .nodes: reply.append(verbatim: ClusterTopology(of: try member()).nodes)
        case .info: reply.append(verbatim: ClusterTopology(of: try member()).info)
        case .status: ClusterStatus(of: try member()).append(to: reply)
        case .myid: reply.append(bulk: try member().name)
        case .keyslot: reply.append(integer: HashSlot.of(arguments[2].bytes))
        case .countkeysinslot: reply.append(integer: try sessions(inSlot: "Invalid slot").count)
        case .getkeysinslot: try appendNames()
        case .help: appendHelp()
        }
    }

    private func appendNames() throws(CommandError) {
        let complaint = "Invalid slot or number of keys"
        let sessions = try sessions(inSlot: complaint)
        guard let most = arguments[3].integer, most >= 0 else { throw CommandError(.generic, complaint) }
        let shown = sessions.prefix(most)
        reply.append(arrayOf: shown.count)
        for session in shown { session.withName { reply.append(bulk: $0) } }
    }

    /// Those that the client may see.
    private func sessions(inSlot complaint: String) throws(CommandError) -> [Session] {
        let member = try member()
        guard let slot = arguments[2].integer, (0..<HashSlot.count).contains(slot) else {
            throw CommandError(.generic, complaint)
        }
        takesAsLong(as: 64)
        return member.sessions(ofSlot: slot).filter(client.sees)
    }

    private func appendHelp() {
        reply.append(arrayOf: Self.help.count)
        for line in Self.help { reply.append(simple: line) }
    }

    private static let help = [
        "CLUSTER <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
        "COUNTKEYSINSLOT <slot>", "    Return the number of sessions in <slot> that are here.",
        "GETKEYSINSLOT <slot> <count>", "    Return their names.",
        "INFO", "    Return information about the cluster.",
        "KEYSLOT <session>", "    Return the hash slot of <session>.",
        "MYID", "    Return the node id.",
        "NODES", "    Return cluster configuration seen by node. Output format:",
        "    <id> <ip:port> <flags> <master> <pings> <pongs> <epoch> <link> <slot> ...",
        "SLOTS", "    Return information about slots range mappings. Each range is made of:",
        "    start, end, master and replicas IP addresses, ports and ids",
        "SHARDS", "    Return information about slot range mappings and the nodes associated with them.",
        "STATUS", "    Return nodes, shards, epochs, leases and moves, for people.",
        "HELP", "    Prints this help.",
    ]
}
