// READONLY, READWRITE and ASKING: clients of Redis Cluster say them. There are no replicas, and a session is at one node at a time.

import RESP

extension Command {
    package static let readonly: Command = replica(
        "READONLY", "Does nothing: there are no replicas that could be read.")

    package static let readwrite: Command = replica("READWRITE", "Does nothing: there are no replicas.")

    package static let asking: Command = replica(
        "ASKING", "Does nothing: a session on its way is at no node, and TRYAGAIN says so.")

    private static func replica(_ name: StaticString, _ summary: String) -> Command {
        Command(
            name: name, group: .connection, needs: .nothing, syntax: name.description, summary: summary,
            examples: [name.description], words: 1...1
        ) { call throws(CommandError) in
            _ = try call.member()
            call.reply.append(.ok)
        }
    }
}
