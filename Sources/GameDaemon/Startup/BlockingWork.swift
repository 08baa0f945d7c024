import Dispatch

/// Runs what may block on a thread that may: the loop never waits for a disk, and neither does Swift's own small pool of threads.
func blockingWork<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(with: Swift.Result { try work() }) }
    }
}
