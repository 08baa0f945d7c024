// The saved session of the flow `startup`: one small file, read and written away from the loop.

import GameFlow
import Glibc

/// A file that names the user whose session goes on: `{"userID":"ann"}`.
public struct SessionFile: SavedSession {
    private let path: String

    public init(path: String) {
        self.path = path
    }

    /// Nil if there is no file; an error if there is one that cannot be read.
    public func load() async throws -> String? {
        let path = path
        return try await blockingWork {
            guard let text = try SmallFile(path).text() else { return nil }
            guard let user = try JSON(parsing: text)["userID"]?.text, !user.isEmpty else { return nil }
            return user
        }
    }

    public func save(_ user: String) async throws {
        let path = path
        let text = JSON.object([.init("userID", .string(user))]).description + "\n"
        try await blockingWork { try SmallFile(path).replace(with: text) }
    }
}
