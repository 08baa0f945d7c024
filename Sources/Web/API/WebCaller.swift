// Runs commands for a request: a client like any other, whose replies become JSON.

import Commands
import GameFlow
import RESP

final class WebCaller: ClientEndpoint {
    private let client: Client
    private let local: LocalClient
    private let visitor: Visitor
    private var whenAnswered: ((Reply) -> Void)?

    init(_ visitor: Visitor, from source: EventSource, of host: Host) {
        self.visitor = visitor
        client = Client(id: 0, from: source, grant: visitor.grant, token: visitor.token, keeping: 0, of: host)
        local = LocalClient(client)
        client.endpoint = self
    }

    deinit { client.endpoint = nil }

    /// Runs a command; `then` is called with its reply, perhaps only in a later turn.
    func run(_ words: [String], then: @escaping (Reply) -> Void) {
        if let reply = local.run(words).last { then(reply) } else { whenAnswered = then }
    }

    // MARK: The client's connection

    var address: String { visitor.who }
    var actor: String { visitor.who }
    var mayAuthenticate: Bool { false }
    var machine: String? { nil }
    var isOpen: Bool { true }

    func waitsForAnswer() {}

    func answerHasCome() {
        guard let then = whenAnswered, let reply = local.takeReplies().last else { return }
        whenAnswered = nil
        then(reply)
    }

    func hasMessage() {}
    func trustHasChanged() {}
    var localUser: String? { nil }
    func checkRoom(for _: Token) throws(CommandError) {}
    func tokenWasWrong(_: CommandError) {}
    func closeWhenSent() {}
}
