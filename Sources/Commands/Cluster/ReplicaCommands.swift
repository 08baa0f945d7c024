// READONLY, READWRITE and ASKING: clients of Redis Cluster say them. There are no replicas, and a session is at one node at a time.

import RESP

extension Command {
    package static let readonly = Command(
        name: "READONLY", group: .connection, needs: .nothing,
        summary: "Does nothing: there are no replicas that could be read.", examples: ["READONLY"], ReadOnlyRequest.self)

    package static let readwrite = Command(
        name: "READWRITE", group: .connection, needs: .nothing, summary: "Does nothing: there are no replicas.",
        examples: ["READWRITE"], ReadWriteRequest.self)

    package static let asking = Command(
        name: "ASKING", group: .connection, needs: .nothing,
        summary: "Does nothing: a session on its way is at no node, and TRYAGAIN says so.", examples: ["ASKING"],
        AskingRequest.self)
}

/// Does nothing, where there is a cluster.
protocol ClusterGreeting: PromptRequest where Value == EncodedReply {}

extension ClusterGreeting {
    func run(_ call: Call) throws(CommandError) -> EncodedReply {
        _ = try call.member()
        return .ok
    }
}

struct ReadOnlyRequest: ClusterGreeting {
    static let form = CommandForm { ReadOnlyRequest() }
    static var command: Command { .readonly }
}

struct ReadWriteRequest: ClusterGreeting {
    static let form = CommandForm { ReadWriteRequest() }
    static var command: Command { .readwrite }
}

struct AskingRequest: ClusterGreeting {
    static let form = CommandForm { AskingRequest() }
    static var command: Command { .asking }
}
