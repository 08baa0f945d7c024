// Sessions of other nodes: whoever asks this one gets the owner's answer.

import Cluster
import Commands
import GameFlow
import HTTP
import RESP

extension WebContext {
    /// Passes a request on to the node that has the session, and that node's answer back. False where the session is to be answered for here:
    /// it is here, nobody knows where it is, its node cannot be asked, or the request was passed on once already.
    func forward(_ request: HTTPRequest, about session: String, of visitor: Visitor, isRelayed: Bool) -> Bool {
        guard !isRelayed, let node = host.cluster?.other(ofSlot: HashSlot.of(session)), node.endpoint != nil else {
            return false
        }
        let method = request.method == .head ? "GET" : request.method.rawValue
        let asked = relay.ask(
            node, method, request.target, request.body, type: request.header("Content-Type"),
            id: request.header(RelaySigner.idHeader), for: RelayedIdentity(visitor),
            Consumer(visitor, request.peer, isRelayed: false)
        ) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let found): answer(request, found.response)
            case .failure(let error): fail(request, error.shown(to: visitor), [])
            }
        }
        // Whoever only looks need not be answered any more; what changes something goes on.
        if method == "GET" { request.whenGone = { asked?.cancel() } }
        return true
    }
}

extension Relay.Answer {
    private static let passedBack = ["content-type", "cache-control", "retry-after", "allow"]

    fileprivate var response: HTTPResponse {
        HTTPResponse(head.status, head.headers.filter { Self.passedBack.contains($0.name) }, .asset(body))
    }

    var json: JSON? { String(validating: body, as: UTF8.self).flatMap { try? JSON(parsing: $0) } }

    /// What another node has refused, in its words.
    var error: CommandError? {
        guard head.status != 200 else { return nil }
        let said = json
        let code = ErrorCode.statuses.first { $0.code.text == said?["error"]?.text }?.code ?? .clusterDown
        return CommandError(code, said?["message"]?.text ?? "a node has answered \(head.status)")
    }
}
