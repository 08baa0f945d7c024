// How long others wait while a long request is under way.

import Foundation

/// A request that takes long.
final class OngoingRequest: @unchecked Sendable {
    private let lock = NSLock()
    private var measured: Double?

    init(_ words: [String], _ socketPath: String) {
        Thread.detachNewThread { [self] in
            let began = ContinuousClock.now
            _ = PipelinedClient(socketPath)?.text(words)
            lock.withLock { measured = (ContinuousClock.now - began).seconds }
        }
    }

    var isOver: Bool { lock.withLock { measured != nil } }
    var seconds: Double { lock.withLock { measured ?? 0 } }
}

extension PipelinedClient {
    func longestWait(for time: Duration) -> Double {
        let end = ContinuousClock.now + time
        return longestWait { ContinuousClock.now < end }
    }

    /// The longest that one request took, while it goes on.
    func longestWait(while goesOn: () -> Bool) -> Double {
        var longest = 0.0
        while goesOn() { longest = max(longest, run(1, depth: 1) { _ in ["PING"] }) }
        return longest
    }
}
