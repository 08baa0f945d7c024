// The authenticator of the flow `startup` in a daemon that runs for one person.

import BuiltInFlows
import Dispatch
import Glibc
import Posix

/// Logs in the user that the process runs as.
struct LocalAuthenticator: Authenticator {
    struct UnknownUser: Error, CustomStringConvertible {
        let id: uid_t
        var description: String { "the system knows no user with the number \(id)" }
    }

    func logIn(for session: String) async throws -> String {
        try await blockingWork {
            let user = geteuid()
            guard let name = userName(of: user) else { throw UnknownUser(id: user) }
            return name
        }
    }
}

/// Runs blocking work on a Dispatch thread, so that it does not block the loop or Swift's small thread pool.
func blockingWork<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(with: Swift.Result { try work() }) }
    }
}
