// A request that waits for its reply, over lost connections if it can be repeated.

import RESP

/// One request. Only for its client's actor.
final class Request {
    let number: Int
    let words: [String]
    /// Whether it does no harm to send it twice: it reads, or it has an id.
    let isRepeatable: Bool
    /// Whether the daemon may have received it.
    var isSent = false
    private var continuation: CheckedContinuation<Reply, any Error>?

    init(_ number: Int, _ words: [String], isRepeatable: Bool, _ continuation: CheckedContinuation<Reply, any Error>) {
        (self.number, self.words, self.isRepeatable, self.continuation) = (number, words, isRepeatable, continuation)
    }

    /// Whether the reply is still awaited.
    var isAwaited: Bool { continuation != nil }

    func complete(with result: Result<Reply, any Error>) {
        continuation?.resume(with: result)
        continuation = nil
    }
}
