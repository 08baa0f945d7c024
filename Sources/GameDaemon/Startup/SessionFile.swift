// The saved session of the flow `startup`: one small file, read and written away from the loop.

import Foundation
import GameFlow

/// A file that names the user whose session goes on: `{"userID":"ann"}`.
public struct SessionFile: SavedSession {
    private let path: String

    public init(path: String) {
        self.path = path
    }

    /// Nil if there is no file; an error if there is one that cannot be read.
    public func load() async throws -> String? {
        try await awayFromLoop { path in
            guard FileManager.default.fileExists(atPath: path) else { return nil }
            let text = try String(contentsOfFile: path, encoding: .utf8)
            guard let user = try JSON(parsing: text)["userID"]?.text, !user.isEmpty else { return nil }
            return user
        }
    }

    public func save(_ user: String) async throws {
        try await awayFromLoop { path in
            let text = JSON.object([.init("userID", .string(user))]).description + "\n"
            try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
        }
    }

    private func awayFromLoop<Result: Sendable>(_ work: @escaping @Sendable (String) throws -> Result) async throws -> Result {
        let path = path
        return try await blockingWork { try work(path) }
    }
}

/// Runs what may block on a thread that may: the loop never waits for a disk, and neither does Swift's own small pool of threads.
func blockingWork<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(with: Swift.Result { try work() }) }
    }
}
