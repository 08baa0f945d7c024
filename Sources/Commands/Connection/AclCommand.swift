// ACL: who one is.

import RESP

extension Command {
    static let acl: Command = Command(
        name: "ACL", group: .connection, needs: .nothing,
        syntax: "ACL WHOAMI",
        summary: "Shows the name that the daemon knows this client by: its token's, or that of the user on this machine.",
        examples: ["ACL WHOAMI"],
        words: 2...2
    ) { call throws(CommandError) in
        guard call.arguments[1].isWord("WHOAMI") else { throw .syntax(call.command.syntax) }
        call.reply.append(bulk: call.client.actor ?? call.client.grant.name)
    }
}
