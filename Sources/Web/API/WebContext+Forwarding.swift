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
    /// By their names in lower case, as they are read, the names by which this node's own responses have them.
    private static let passedBack = [
        "content-type": "Content-Type", "cache-control": "Cache-Control", "retry-after": "Retry-After", "allow": "Allow",
    ]

    var response: HTTPResponse {
        let headers = head.headers.compactMap { name, value in Self.passedBack[name].map { ($0, value) } }
        return HTTPResponse(head.status, headers, .asset(body))
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
