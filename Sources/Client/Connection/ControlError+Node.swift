// A client's errors for a node that another node named and that it could not connect to.

import Texts

extension ControlError {
    /// The same error, of a node that another one named.
    func ofNode(at address: ServerAddress, namedBy referrer: ServerAddress, hasToken: Bool) -> ControlError {
        let node = "\(referrer) names the node \(address)"
        switch self {
        case .refused(.notAuthenticated, _) where !hasToken:
            return .refused(
                code: .notAuthenticated,
                sentence: "\(node), which requires a token: give one that all nodes accept, "
                    + "with --token-file FILE or in GAMED_TOKEN, or run gamectl on that node's machine")
        case .refused(.wrongToken, let sentence):
            return .refused(
                code: .wrongToken,
                sentence: "\(node), which rejects the token: \(sentence); give all nodes the same --token-file")
        case .refused(let code, let sentence): return .refused(code: code, sentence: "\(node), which refuses: \(sentence)")
        case .noDaemon(let sentence): return .noDaemon("\(node): \(sentence)")
        case .usage, .badFlow, .stream: return self
        }
    }
}
