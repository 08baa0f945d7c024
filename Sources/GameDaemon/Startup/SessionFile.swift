// The saved session of the flow `startup`: one small file, read and written off the loop.

import BuiltInFlows
import Dispatch
import GameFlow
import Glibc
import Posix

/// A file with the id of the user to continue with: `{"userID":"ann"}`.
struct SessionFile: SavedSession {
    private let path: String
    /// Where earlier versions of gamed put it.
    private let earlierPath: String?
    /// Whether it is written only where no other user can replace it.
    private let isCautious: Bool
    /// Logs what could not be done, where the flow goes on without it.
    private let complain: @Sendable (String) -> Void

    /// In a private directory.
    init(path: String) {
        self.init(path, earlier: nil, isCautious: false) { _ in }
    }

    private init(
        _ path: String, earlier: String?, isCautious: Bool, _ complain: @escaping @Sendable (String) -> Void
    ) {
        (self.path, earlierPath, self.isCautious, self.complain) = (path, earlier, isCautious, complain)
    }

    /// In the data directory, or else beside the socket, which may be in a shared directory.
    static func ofService(
        data directory: String?, socket: String, _ complain: @escaping @Sendable (String) -> Void
    ) -> SessionFile {
        let besides = socket + ".user"
        guard let directory else { return SessionFile(besides, earlier: nil, isCautious: true, complain) }
        return SessionFile(directory + "/gamed.user", earlier: besides, isCautious: false, complain)
    }

    /// Nil if there is no file; throws if it cannot be read or trusted.
    func load(for flowSession: String) async throws -> String? {
        do {
            let text = try await blockingWork { [path, earlierPath] in
                try SmallFile(own: path).text() ?? earlierPath.flatMap { try Self.moved(from: $0, to: path) }
            }
            return try text.flatMap { try user(in: $0) }
        } catch {
            complain("nobody is remembered: \(error)")
            throw error
        }
    }

    /// A file that cannot be read stays as it is.
    func forget(_ user: String, for flowSession: String) async {
        do {
            guard try await load(for: flowSession) == user else { return }
            try await blockingWork { [path] in try SmallFile(own: path).remove() }
        } catch {
            complain("'\(user)' is still remembered: \(error)")
        }
    }

    private func user(in text: String) throws(FileError) -> String? {
        do throws(JSONError) {
            let user = try JSON(parsing: text)["userID"]?.text ?? ""
            return user.isEmpty ? nil : user
        } catch {
            throw FileError("read", path, reason: error.description)
        }
    }

    /// Moves the file from its earlier path, and returns its text.
    private static func moved(from earlierPath: String, to path: String) throws(FileError) -> String? {
        let earlier = try SmallFile(own: earlierPath)
        guard let text = try earlier.text() else { return nil }
        // If it cannot be moved, it will be read there again.
        if (try? SmallFile(own: path).replace(with: text)) != nil { earlier.remove() }
        return text
    }

    func save(_ user: String) async throws {
        let text = JSON.object([.init("userID", .string(user))]).description + "\n"
        let isSaved = try await blockingWork { [path, isCautious] in
            let file = try SmallFile(own: path)
            guard !isCautious || file.isGuarded else { return false }
            try file.replace(with: text)
            return true
        }
        if !isSaved {
            complain(
                "'\(user)' is not remembered: others can write beside \(path); --data gives the daemon a directory of its own")
        }
    }
}

/// Runs blocking work on a Dispatch thread, so that it does not block the loop or Swift's small thread pool.
func blockingWork<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(with: Swift.Result { try work() }) }
    }
}
