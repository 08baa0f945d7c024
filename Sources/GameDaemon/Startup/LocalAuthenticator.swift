// The authenticator of the flow `startup` in a daemon that runs for one person.

import BuiltInFlows
import Glibc

/// Logs in the user that the process runs as, and remembers them for the next start.
struct LocalAuthenticator: Authenticator {
    /// The system knows no such user.
    struct UnknownUser: Error, CustomStringConvertible {
        let id: uid_t
        var description: String { "the system knows no user with the number \(id)" }
    }

    private let session: SessionFile

    init(rememberingIn session: SessionFile) {
        self.session = session
    }

    func logIn(for flowSession: String) async throws -> String {
        let name = try await blockingWork { try Self.currentUser() }
        try await session.save(name)
        return name
    }

    private static func currentUser() throws -> String {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16_384)
        guard getpwuid_r(geteuid(), &entry, &buffer, buffer.count, &found) == 0, found != nil, let name = entry.pw_name else {
            throw UnknownUser(id: geteuid())
        }
        return String(cString: name)
    }
}
