// The client behind a request of the API, with the same checks and quotas as any other.

import Commands
import GameFlow
import RESP

final class WebCaller: ClientEndpoint {
    let client: Client
    private let visitor: Visitor

    init(_ visitor: Visitor, from source: EventSource, of host: Host) {
        self.visitor = visitor
        client = Client(id: 0, from: source, grant: visitor.grant, token: visitor.token, keeping: 0, of: host)
        client.endpoint = self
    }

    deinit { client.endpoint = nil }

    var address: String { visitor.who }
    var actor: String { visitor.who }
    var mayAuthenticate: Bool { false }
    var machine: String? { nil }
    var isOpen: Bool { true }
    var localUser: String? { nil }

    func didDeferReply() {}
    func didCompleteReply() {}
    func didPushMessage() {}
    func didChangeTrust() {}
    func checkRoom(for _: Token) throws(CommandError) {}
    func didRejectToken(_: CommandError) {}
    func closeWhenSent() {}
}
