// ACL: the client's name.

import RESP

extension Command {
    static let acl = Command(
        name: "ACL", group: .connection, needs: .nothing,
        summary: "Shows the name that the daemon knows this client by: its token's, or that of the user on this machine.",
        examples: ["ACL WHOAMI"],
        WhoAmIRequest.self)
}

struct WhoAmIRequest: PromptRequest {
    static let form = CommandForm("WHOAMI") { WhoAmIRequest() }
    static var command: Command { .acl }

    func run(_ call: Call) throws(CommandError) -> String { call.client.actor ?? call.client.grant.name }
}
