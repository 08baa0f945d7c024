// Sessions of other nodes: a client that asks this node gets the owner's response.

import Cluster
import Commands
import GameFlow
import HTTP
import RESP

extension WebContext {
    /// Forwards a request to the node that has the session, and that node's response back. Returns false if this node must answer: the session is
    /// here, its node is unknown or cannot be asked, or the request was forwarded before.
    func forward(_ request: HTTPRequest, about session: String, of visitor: Visitor, isRelayed: Bool) -> Bool {
        guard !isRelayed, let node = host.cluster?.other(ofSlot: HashSlot.of(session)), node.endpoint != nil else {
            return false
        }
        let method = request.method == .head ? "GET" : request.method.rawValue
        let asked = relay.ask(
            node, method, request.target, request.body, type: request.header("Content-Type"),
            id: request.header(RelaySigner.idHeader), for: VisitorIdentity(visitor),
            Consumer(visitor, request.peer, isRelayed: false)
        ) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let found): answer(request, found.response)
            case .failure(let error): fail(request, error.shown(to: visitor), [])
            }
        }
        // A read is cancelled when its client is gone. A change continues.
        if method == "GET" { request.onGone = { asked?.cancel() } }
        return true
    }
}

extension Relay.Answer {
    private static let passedBack = ["content-type", "cache-control", "retry-after", "allow"]

    fileprivate var response: HTTPResponse {
        HTTPResponse(head.status, head.headers.filter { Self.passedBack.contains($0.name) }, .asset(body))
    }

    var json: JSON? { String(validating: body, as: UTF8.self).flatMap { try? JSON(parsing: $0) } }

    /// The other node's error, in its words; nil if it answered with 200.
    var error: CommandError? {
        guard head.status != 200 else { return nil }
        let json = json
        let code = ErrorCode.statuses.first { $0.code.text == json?["error"]?.text }?.code ?? .clusterDown
        return CommandError(code, json?["message"]?.text ?? "a node returned status \(head.status)")
    }
}
